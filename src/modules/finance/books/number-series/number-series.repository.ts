import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { filterRows } from '../../../../platform/database/filter-rows.js';
import type { Rows } from '../../../../platform/database/rows.js';
import { notFound } from '../../../../platform/errors/app-error.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { directionOf, sortRows } from '../../../../platform/database/sort-rows.js';
import { periodKeyOf } from './number-pattern.js';
import { sequenceEntries } from './sequence.sql.js';
import type { ListNumberSeries, ReadSequenceReport, SequenceEntry } from './number-series.dto.js';
import { type DocumentType, NumberSeries, type NumberSeriesView } from './number-series.entity.js';

const TODAY_KEY = `case series.reset_period when 'never' then 'all' when 'yearly' then left(:today, 4) else left(:today, 7) end`;

/** Selects the members of a view that are not columns of the series; `:today` determines the current period. */
const DERIVED = {
  next_number: `coalesce((
    select counter.next_number from invoice_number_counters counter
    where counter.series_id = series.id and counter.period_key = ${TODAY_KEY}), 1)`,
  given: `coalesce((
    select sum(counter.given) from invoice_number_counters counter where counter.series_id = series.id), 0)`,
  shared: `exists (
    select from invoice_number_series twin
    where twin.document_type = series.document_type and twin.id <> series.id
      and replace(twin.pattern, '{prefix}', twin.prefix) = replace(series.pattern, '{prefix}', series.prefix))`,
};

interface Derived {
  next_number: string;
  given: string;
  shared: boolean;
}

type Counted = Pick<NumberSeries, 'id' | 'resetPeriod'>;

/** A document with a number of a series. */
export interface SeriesDocument {
  id: string;
  status: string;
  number: string;
  periodKey: string;
  issueDate: string;
  isReleased: boolean;
}

/** Selects a page of the numbers of the counter $1, $2; with $3 only numbers with an anomaly. */
const sequencePage = (direction: 'ASC' | 'DESC') => `
  with found as (
    select * from (${sequenceEntries('select $1::text as series_id, $2::text as period_key')}) entries
    where not $3::boolean or anomaly is not null
  ),
  page as (select * from found order by sequence ${direction} limit $4 offset $5)
  select counted.total, case when page.sequence is not null then json_build_object(
    'sequence', page.sequence, 'lastSequence', page.last_sequence, 'number', page.number, 'documentId', page.id,
    'documentType', page.type, 'status', page.status, 'issueDate', page.issue_date, 'releasedAt', page.released_at_text,
    'reason', page.reason, 'anomaly', page.anomaly) end as entry
  from (select count(*)::integer as total from found) counted left join page on true
  order by page.sequence ${direction}`;

/** Reads and writes number series and their counters, one for each period. A period without a counter starts at 1. */
@Injectable()
export class NumberSeriesRepository {
  readonly rows: Rows<NumberSeries>;
  private readonly select: string;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(NumberSeries);
    const derived = Object.entries(DERIVED).map(([name, text]) => `${text.replaceAll(':today', '$2')} as ${name}`);
    this.select = `select ${this.rows.columns('series')}, ${derived.join(', ')}
      from invoice_number_series series where series.id = $1`;
  }

  async get(id: string): Promise<NumberSeriesView> {
    const statement = { name: 'number-series-get', text: this.select, values: [id, this.clock.today()] };
    const [found] = await this.database.read<NumberSeries, Derived>(NumberSeries, statement);
    if (!found) throw notFound();
    return toView(found.entity, found.raw);
  }

  async list(query: ListNumberSeries): Promise<{ views: NumberSeriesView[]; total: number }> {
    const { documentType, active, sort = '-createdAt' } = query;
    const found = this.rows.query('series').setParameter('today', this.clock.today());
    for (const [name, text] of Object.entries(DERIVED)) found.addSelect(text, name);
    filterRows(found, 'series.documentType', documentType);
    if (active !== undefined) found.andWhere('series.active = :active', { active });
    sortRows(found, sort);
    const { rows, total } = await this.database.page<NumberSeries, Derived>(found, pageBounds(query));
    return { views: rows.map(({ entity, raw }) => toView(entity, raw)), total };
  }

  /** Locks all series against other changes, because each change may affect which one is the default. */
  async lockAll(): Promise<void> {
    await this.database.query(`select pg_advisory_xact_lock(hashtextextended('invoice_number_series', 0))`);
  }

  /**
   * Locks a series and reads it. An issue locks its series with `for key share`. A deletion or a change of the number form must
   * wait for running issues, because they assign a number (`excludesIssues`); other changes need not.
   */
  async lock(id: string, { excludesIssues }: { excludesIssues: boolean }): Promise<NumberSeriesView> {
    const strength = excludesIssues ? 'for update' : 'for no key update';
    await this.database.query(`select from invoice_number_series where id = $1 ${strength}`, [id]);
    return this.get(id);
  }

  /** Keeps the series unchanged until the transaction ends; other issues can lock it at the same time. */
  async lockGivenForIssue(id: string): Promise<NumberSeries[]> {
    const text = `select ${this.rows.columns('series')} from invoice_number_series series where id = $1 for key share`;
    return this.rows.read({ name: 'number-series-issue', text, values: [id] });
  }

  /** Does the same as `lockGivenForIssue` for at most two active series of the type, the default one first. */
  async lockActiveForIssue(documentType: DocumentType): Promise<NumberSeries[]> {
    const text = `select ${this.rows.columns('series')} from invoice_number_series series
      where document_type = $1 and active order by is_default desc, id limit 2 for key share`;
    return this.rows.read({ name: 'number-series-issue-default', text, values: [documentType] });
  }

  async findActiveDefault(documentType: DocumentType): Promise<NumberSeries | null> {
    return this.rows.findBy({ documentType, isDefault: true, active: true });
  }

  async existsFor(documentType: DocumentType): Promise<boolean> {
    return this.database.repository(NumberSeries).existsBy({ documentType });
  }

  async delete(id: string): Promise<void> {
    await this.deleteCounters(id);
    await this.database.repository(NumberSeries).delete({ id });
  }

  async startCounter(series: Counted, nextNumber: number): Promise<void> {
    if (nextNumber === 1) return;
    await this.database.query(
      'insert into invoice_number_counters (series_id, period_key, next_number) values ($1, $2, $3)',
      [series.id, this.currentKey(series), nextNumber],
    );
    await this.recordGap(series, { from: 1, to: nextNumber - 1, reason: null });
  }

  /** Used for a series that has assigned no number and whose reset period was changed. */
  async restartCounter(series: Counted, nextNumber: number): Promise<void> {
    await this.deleteCounters(series.id);
    await this.startCounter(series, nextNumber);
  }

  /** Returns the next number of the counter, which no issue can take until the end of the transaction. */
  async lockCounter(series: Counted): Promise<number> {
    const [counter] = await this.database.query<{ next: string }>(
      `insert into invoice_number_counters as counter (series_id, period_key, next_number) values ($1, $2, 1)
       on conflict (series_id, period_key) do update set next_number = counter.next_number
       returning counter.next_number as next`,
      [series.id, this.currentKey(series)],
    );
    return Number(counter?.next ?? 1);
  }

  async advanceCounter(series: Counted, nextNumber: number): Promise<void> {
    await this.database.query(
      'update invoice_number_counters set next_number = $3 where series_id = $1 and period_key = $2',
      [series.id, this.currentKey(series), nextNumber],
    );
  }

  async recordGap(series: Counted, { from, to, reason }: { from: number; to: number; reason: string | null }) {
    await this.database.query(
      `insert into number_gaps (series_id, period_key, from_sequence, to_sequence, reason, created_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [series.id, this.currentKey(series), from, to, reason, this.clock.now()],
    );
  }

  /** Returns the document and its counter; null if the series did not assign its number. */
  async findDocument(seriesId: string, invoiceId: string): Promise<SeriesDocument | null> {
    const [document] = await this.database.query<SeriesDocument>(
      `select document.id, document.status, document.number, document.period_key as "periodKey",
         document.issue_date::text as "issueDate", release.created_at is not null as "isReleased"
       from invoices document left join document_date_releases release on release.invoice_id = document.id
       where document.id = $2 and document.series_id = $1`,
      [seriesId, invoiceId],
    );
    return document ?? null;
  }

  /** Locks the counter first, so that a running issue is counted. */
  async releaseDate(seriesId: string, { id, periodKey }: SeriesDocument, reason: string): Promise<void> {
    await this.database.query(
      'select from invoice_number_counters where series_id = $1 and period_key = $2 for no key update',
      [seriesId, periodKey],
    );
    await this.database.query(
      `insert into document_date_releases (invoice_id, series_id, period_key, reason, created_at)
       values ($1, $2, $3, $4, $5)`,
      [id, seriesId, periodKey, reason, this.clock.now()],
    );
    await this.database.query(
      `update invoice_number_counters counter set last_issue_date = (
         select max(document.issue_date) from invoices document
         where document.series_id = counter.series_id and document.period_key = counter.period_key
           and not exists (select from document_date_releases release where release.invoice_id = document.id))
       where counter.series_id = $1 and counter.period_key = $2`,
      [seriesId, periodKey],
    );
  }

  /** Returns the numbers of a counter in order, with the ranges that no document has. */
  async sequence(
    series: Counted,
    { periodKey = this.currentKey(series), anomalous = false, sort = 'sequence', ...page }: ReadSequenceReport,
  ): Promise<{ rows: SequenceEntry[]; total: number }> {
    const { limit, offset } = pageBounds(page);
    const rows = await this.database.query<{ entry: SequenceEntry | null; total: number }>(
      sequencePage(directionOf(sort)),
      [series.id, periodKey, anomalous, limit, offset],
    );
    return { rows: rows.flatMap(({ entry }) => (entry ? [entry] : [])), total: rows[0]?.total ?? 0 };
  }

  async lastIssueDate(seriesId: string, periodKey: string): Promise<string | null> {
    const [counter] = await this.database.query<{ day: string | null }>(
      `select last_issue_date::text as day from invoice_number_counters where series_id = $1 and period_key = $2`,
      [seriesId, periodKey],
    );
    return counter?.day ?? null;
  }

  private async deleteCounters(seriesId: string): Promise<void> {
    await this.database.query('delete from number_gaps where series_id = $1', [seriesId]);
    await this.database.query('delete from invoice_number_counters where series_id = $1', [seriesId]);
  }

  private currentKey({ resetPeriod }: Counted): string {
    return periodKeyOf(resetPeriod, this.clock.today());
  }
}

function toView(series: NumberSeries, { next_number: nextNumber, given, shared }: Derived): NumberSeriesView {
  return {
    series,
    nextNumber: Number(nextNumber),
    isUsed: Number(given) > 0,
    isShared: shared,
    version: series.version + Number(given),
  };
}
