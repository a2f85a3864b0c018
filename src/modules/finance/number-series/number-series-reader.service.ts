import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { type Columns, make } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ListNumberSeries } from './number-series.dto.js';
import { NumberSeries } from './number-series.entity.js';
import type { NumberSeriesView } from './number-series-response.dto.js';

/** $1 is today: it says which period is the current one. */
const VIEWS = `
  select series.id, series.name, series.prefix, series.pattern, series.document_type as "documentType",
    series.reset_period as "resetPeriod", series.is_default as "isDefault", series.active, series.version,
    series.created_at as "createdAt", series.updated_at as "updatedAt",
    coalesce(counter.next_number, 1) as next_number, coalesce(given.given, 0) as given,
    exists (
      select from invoice_number_series twin
      where twin.document_type = series.document_type and twin.id <> series.id
        and replace(twin.pattern, '{prefix}', twin.prefix) = replace(series.pattern, '{prefix}', series.prefix)
    ) as shared
  from invoice_number_series series
  left join invoice_number_counters counter on counter.series_id = series.id and counter.period_key =
    case series.reset_period when 'never' then 'all' when 'yearly' then left($1, 4) else left($1, 7) end
  left join lateral (
    select sum(each.given) as given from invoice_number_counters each where each.series_id = series.id
  ) given on true`;

interface Row extends Columns<NumberSeries> {
  next_number: string;
  given: string;
  shared: boolean;
}

/** A page beyond the end is one row that holds the total alone. */
type Listed = (Row | { id: null }) & { total: string };

/** Number series as they are answered, in one statement each. */
@Injectable()
export class NumberSeriesReader {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Throws 404. */
  async get(id: string): Promise<NumberSeriesView> {
    const [row] = await this.database.prepared<Row>('number-series-get', `${VIEWS} where series.id = $2`, [
      this.clock.today(),
      id,
    ]);
    if (!row) throw notFound();
    return toView(row);
  }

  async list(query: ListNumberSeries): Promise<{ views: NumberSeriesView[]; total: number }> {
    const { limit, offset } = pageBounds(query);
    const { sort = '-createdAt' } = query;
    const direction = sort.startsWith('-') ? 'desc' : 'asc';
    const column = sort.endsWith('name') ? 'name' : 'created_at';
    const order = (table: string) => `order by ${table}.${column} ${direction}, ${table}.id ${direction}`;
    const rows = await this.database.query<Listed>(
      `with found as (
         select id, name, created_at from invoice_number_series
         where ($2::text is null or document_type = $2) and ($3::boolean is null or active = $3)
       ), page as (
         ${VIEWS} where series.id in (select id from found ${order('found')} limit $4 offset $5)
       )
       select counted.total, page.* from (select count(*) as total from found) counted
       left join page on true ${order('page').replace('created_at', '"createdAt"')}`,
      [this.clock.today(), query.documentType ?? null, query.active ?? null, limit, offset],
    );
    return { views: rows.flatMap((row) => (row.id === null ? [] : [toView(row)])), total: Number(rows[0]?.total ?? 0) };
  }
}

function toView(row: Row): NumberSeriesView {
  const { next_number: nextNumber, given, shared: isShared } = row;
  const series = make(NumberSeries, {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    pattern: row.pattern,
    documentType: row.documentType,
    resetPeriod: row.resetPeriod,
    isDefault: row.isDefault,
    active: row.active,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  });
  const version = row.version + Number(given);
  return { series, nextNumber: Number(nextNumber), isUsed: Number(given) > 0, isShared, version };
}
