import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import type { ListDepartures } from './departure.dto.js';
import { Departure, type DepartureStatus, type DepartureView } from './departure.entity.js';
import { isUnderstaffed, type ResourceWarningRow, resourceWarningsOf } from './resource-warnings.js';
import { type SalesState, salesStateOf } from './sales-state.js';
import { AVAILABLE, type Change, CHANGES, isSale, isTentative } from './unit-statements.js';

/** First key of the advisory locks of products; the second is the hash of the product id. */
const PRODUCTS = 7_120_020;

/** Units of one departure. */
export interface Units {
  departureId: string;
  units: number;
}

/** A departure whose units were changed. */
export interface ChangedDeparture {
  id: string;
  productId: string;
  startsAt: Date;
  endsAt: Date;
  cutoffAt: Date | null;
  salesClosedAt: Date | null;
  status: DepartureStatus;
  available: number;
  /** Units sold and held. */
  taken: number;
  /** Whether the departure may have reached its minimum. */
  tentative: boolean;
}

/** What the departures of a product have in common. */
export interface DepartureOutlook {
  productId: string;
  currencies: string[];
  /** `HH:MM`. */
  startTimes: string[];
  lowestCents: number;
}

/** A departure that had too few units. */
export interface Shortage {
  departureId: string;
  salesState: SalesState;
  cutoffAt: Date | null;
  /** Null for a change that only reverses earlier ones. */
  available: number | null;
}

/** Reads and writes departures. */
@Injectable()
export class DeparturesRepository {
  readonly departures: Rows<Departure>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.departures = database.rows(Departure);
  }

  /** Pass `details` for an id from a body. */
  async get(id: string, details?: { field: string }): Promise<DepartureView> {
    const [view] = await this.read('departure-get', 'd.id = $1', [id]);
    if (!view) throw notFound(details);
    return view;
  }

  async list(
    query: ListDepartures,
    productIds: readonly string[] | null = null,
  ): Promise<{ views: DepartureView[]; total: number }> {
    const { productId, scheduleId, startFrom, startTo, status, salesState, sort = 'startsAt' } = query;
    const { attention, understaffed } = query;
    const found = this.departures.query('departure').addSelect('departure.start_date', 'start_date');
    const stateOfNow = salesStateOf('departure', 'cast(:now as timestamptz)');
    found.addSelect(stateOfNow, 'sales_state').setParameter('now', this.clock.now());
    if (productId !== undefined) found.andWhere('departure.productId = :productId', { productId });
    if (productIds !== null) found.andWhere('departure.productId = any(:productIds)', { productIds });
    if (scheduleId !== undefined) {
      const made = 'select link.departure_id from scheduled_departures link where link.schedule_id = :scheduleId';
      found.andWhere(`departure.id in (${made})`, { scheduleId });
    }
    if (startFrom !== undefined) found.andWhere('departure.start_date >= :startFrom', { startFrom });
    if (startTo !== undefined) found.andWhere('departure.start_date <= :startTo', { startTo });
    filterRows(found, 'departure.status', status);
    if (salesState !== undefined) found.andWhere(`${stateOfNow} = any(:salesState)`, { salesState });
    if (attention !== undefined) {
      const undecided = `(departure.status = 'scheduled' and departure.minimum_not_reached_at is not null)`;
      found.andWhere(`${undecided} = :attention`, { attention });
    }
    if (understaffed !== undefined) {
      found.andWhere(`${isUnderstaffed('departure', 'cast(:now as timestamptz)')} = :understaffed`, { understaffed });
    }
    sortRows(found, sort);
    const { rows, total } = await this.database.page<Departure, ViewColumns>(found, pageBounds(query));
    return { views: rows.map(viewFrom), total };
  }

  async listByIds(ids: readonly string[]): Promise<DepartureView[]> {
    return this.read('departures-read', 'd.id = any($1)', [ids]);
  }

  /** Scheduled departures of the product that have yet to start, the earliest first. */
  async listUpcoming(productId: string, limit: number): Promise<DepartureView[]> {
    const condition = `d.product_id = $1 and d.status = 'scheduled' and d.starts_at > $2
      order by d.starts_at, d.id limit $3`;
    return this.read('departures-upcoming', condition, [productId, this.clock.now(), limit]);
  }

  /** Departures of the product in a time zone that start on a local day of this range, the earliest first. */
  async listOn(
    productId: string,
    { timeZone, from, to, limit }: { timeZone: string; from: string; to: string; limit: number },
  ): Promise<DepartureView[]> {
    const condition = `d.product_id = $1 and d.time_zone = $2 and d.start_date between $3::date and $4::date
      order by d.starts_at, d.id limit $5`;
    return this.read('departures-on', condition, [productId, timeZone, from, to, limit]);
  }

  /**
   * Currencies and local start times of the scheduled departures of these products that start within a period; the currency of the
   * earliest departure comes first.
   */
  async outlookOf(productIds: readonly string[], until: Date): Promise<DepartureOutlook[]> {
    return this.database.prepared<DepartureOutlook>(
      'departures-outlook',
      `select product_id as "productId",
         array(select currency from departures c where c.product_id = d.product_id and c.status = 'scheduled'
           and c.starts_at between $2 and $3 group by currency order by min(c.starts_at)) as currencies,
         (array_agg(distinct to_char(starts_at at time zone time_zone, 'HH24:MI')))[1:100] as "startTimes",
         min(price_cents)::float8 as "lowestCents"
       from departures d where product_id = any($1) and status = 'scheduled' and starts_at between $2 and $3
       group by product_id`,
      [productIds, this.clock.now(), until],
    );
  }

  /** Returns what is wrong with the resources of the departure, on which these people have confirmed bookings. */
  async listResourceWarnings(id: string, people: number): Promise<ResourceWarningRow[]> {
    const warnings = resourceWarningsOf('d', { now: '$2::timestamptz', people: '$3::int' });
    return this.database.prepared<ResourceWarningRow>(
      'departure-resource-warnings',
      `select warning.* from departures d cross join lateral (${warnings}) as warning where d.id = $1
       order by warning.code, warning."resourceType", warning."resourceName", warning."resourceId",
         warning."documentKind", warning."expiresOn"`,
      [id, this.clock.now(), people],
    );
  }

  async lock(id: string): Promise<DepartureView> {
    const [view] = await this.read('departure-lock', 'd.id = $1 for update', [id]);
    if (!view) throw notFound();
    return view;
  }

  /** Locks the existing departures, in the order of their ids. */
  async lockByIds(ids: readonly string[]): Promise<DepartureView[]> {
    return this.read('departures-lock-these', 'd.id = any($1) order by d.id for update', [ids]);
  }

  /** Locks the scheduled departures that start after an instant and on a local day of this range, in the order of their ids. */
  async lockUpcoming(
    productId: string,
    { after, from, to }: { after: Date; from: string; to: string | null },
  ): Promise<DepartureView[]> {
    const condition = `d.product_id = $1 and d.status = 'scheduled' and d.starts_at > $2
      and d.start_date >= $3::date and ($4::date is null or d.start_date <= $4::date)
      order by d.id for update`;
    return this.read('departures-lock-upcoming', condition, [productId, after, from, to]);
  }

  /** Changes units in one guarded statement and returns the departures that passed the guard. */
  async changeUnits(
    change: Change,
    units: readonly Units[],
    accepted: readonly SalesState[],
  ): Promise<ChangedDeparture[]> {
    return this.database.prepared<ChangedDeparture>(`departures-${change}`, CHANGES[change], [
      units.map(({ departureId }) => departureId),
      units.map((one) => one.units),
      ...(isSale(change) ? [this.clock.now(), accepted] : []),
    ]);
  }

  /** Returns the reason why each of these departures lacks the units. */
  async listShortages(change: Change, ids: readonly string[]): Promise<Shortage[]> {
    const available = AVAILABLE[change] ?? 'null::integer';
    return this.database.query<Shortage>(
      `select d.id as "departureId", ${salesStateOf('d', '$2::timestamptz')} as "salesState", d.cutoff_at as "cutoffAt",
         ${available} as available
       from departures d where d.id = any($1) order by d.id`,
      [ids, this.clock.now()],
    );
  }

  /** Locks the given departures that are scheduled and tentative, in the order of their ids. */
  async lockTentative(ids: readonly string[]): Promise<DepartureView[]> {
    const condition = `d.id = any($1) and d.status = 'scheduled' and ${isTentative('d')} order by d.id for update`;
    return this.read('departures-lock-tentative', condition, [ids]);
  }

  /** Returns tentative departures whose decision is due and not yet reported, the earliest first. */
  async listUndecided(now: Date, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select d.id from departures d where d.status = 'scheduled' and ${isTentative('d')}
         and d.minimum_not_reached_at is null and d.decide_by <= $1
       order by d.decide_by, d.id limit $2`,
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Stores whether the minimum was reached. The version stays, because it is not a change by staff. */
  async storeMinimum({ id, guaranteedAt, minimumNotReachedAt, updatedAt }: Departure): Promise<void> {
    await this.database.prepared(
      'departure-minimum',
      'update departures set guaranteed_at = $2, minimum_not_reached_at = $3, updated_at = $4 where id = $1',
      [id, guaranteedAt, minimumNotReachedAt, updatedAt],
    );
  }

  /** Counts the departures of the product that are not cancelled and have yet to start. */
  async countAhead(productId: string): Promise<number> {
    const [row] = await this.database.prepared<{ count: number }>(
      'departures-ahead',
      `select count(*)::int as count from departures where product_id = $1 and status <> 'cancelled' and starts_at > $2`,
      [productId, this.clock.now()],
    );
    return row?.count ?? 0;
  }

  /** Locks the product until the running transaction ends. */
  async lockProduct(productId: string): Promise<void> {
    await this.database.prepared('departures-product', `select pg_advisory_xact_lock(${PRODUCTS}, hashtext($1))`, [
      productId,
    ]);
  }

  private async read(name: string, condition: string, values: unknown[]): Promise<DepartureView[]> {
    const columns = this.departures.columns('d');
    const salesState = salesStateOf('d', `$${values.length + 1}::timestamptz`);
    const text = `select ${columns}, d.start_date, ${salesState} as sales_state from departures d where ${condition}`;
    const statement = { name, text, values: [...values, this.clock.now()] };
    return (await this.database.read<Departure, ViewColumns>(Departure, statement)).map(viewFrom);
  }
}

/** Members of a departure's view besides its columns. */
interface ViewColumns {
  start_date: string;
  sales_state: SalesState;
}

function viewFrom({ entity, raw }: { entity: Departure; raw: ViewColumns }): DepartureView {
  return Object.assign(entity, { startDate: raw.start_date, salesState: raw.sales_state });
}
