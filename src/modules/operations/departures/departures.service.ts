import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { type DepartureSummary, toDepartureSummary } from './departure-summary.js';
import { DepartureJournal } from './departure-journal.js';
import { DepartureRows } from './departure-rows.service.js';
import type { DepartureStatus } from './departure.entity.js';
import { type Change, CHANGES, LEFT } from './unit-statements.js';

/** Where units come from, and what becomes of them. A trip holds from the pool alone. */
type Taking = { from: 'pool'; as: 'sold' | 'held' } | { from: 'guaranteed_slot' | 'cap_slot'; as: 'sold' };

/** The way back of a `Taking`. */
type Returning = { to: 'pool'; from: 'sold' | 'held' } | { to: 'guaranteed_slot' | 'cap_slot'; from: 'sold' };

/** Of one departure. */
export interface Units {
  departureId: string;
  units: number;
}

/**
 * The front door: what other modules may ask of departures, and how they take and give back units. Units are whole numbers
 * above 0. Each movement is one guarded statement, so nothing is locked before it and nothing is oversold; the sums of a
 * slot are its owner's, and are moved in the same transaction.
 */
@Injectable()
export class DeparturesService {
  constructor(
    private readonly database: Database,
    private readonly rows: DepartureRows,
    private readonly journal: DepartureJournal,
  ) {}

  /** Throws 404; `details` are those of a departure that a body names. */
  async getSummary(id: string, details?: { field: string }): Promise<DepartureSummary> {
    return toDepartureSummary(await this.rows.get(id, details));
  }

  /** As they are now, without holding them; those that do not exist are left out. */
  async listSummaries(ids: readonly string[]): Promise<DepartureSummary[]> {
    return (await this.rows.readAll([...new Set(ids)])).map(toDepartureSummary);
  }

  /** Holds these departures until the running transaction ends, in the order of their ids, each once. Throws 404. */
  async lock(ids: readonly string[], details = { field: 'departureId' }): Promise<DepartureSummary[]> {
    const asked = [...new Set(ids)];
    const found = await this.rows.lockAll('departures-lock-these', 'd.id = any($1)', [asked]);
    if (found.length < asked.length) throw notFound(details);
    return found.map(toDepartureSummary);
  }

  /** Holds the product and, by id, its scheduled departures that start after an instant on local days of this range. */
  async lockUpcoming(
    productId: string,
    { after, from, to }: { after: Date; from: string; to: string | null },
  ): Promise<DepartureSummary[]> {
    await this.rows.lockProduct(productId);
    const condition = `d.product_id = $1 and d.status = 'scheduled' and d.starts_at > $2
      and d.start_date >= $3::date and ($4::date is null or d.start_date <= $4::date)`;
    const found = await this.rows.lockAll('departures-lock-coming', condition, [productId, after, from, to]);
    return found.map(toDepartureSummary);
  }

  /** Nobody else allots units of the product meanwhile, or adds, moves or cancels departures. Before any row's lock. */
  async lockProduct(productId: string): Promise<void> {
    await this.rows.lockProduct(productId);
  }

  /** Throws 404, 409 `departure_cancelled`, `capacity_exceeded` with details {available}. */
  async allocate(departureId: string, units: number, { from, as }: Taking): Promise<void> {
    const change = from === 'guaranteed_slot' ? 'sell_guaranteed' : as === 'sold' ? 'sell' : 'hold';
    await this.move(change, [{ departureId, units }]);
  }

  /** Works on a cancelled departure as well. Throws where fewer units were taken: that is a fault of the caller's. */
  async release(departureId: string, units: number, { to, from }: Returning): Promise<void> {
    const change = to === 'guaranteed_slot' ? 'unsell_guaranteed' : from === 'sold' ? 'unsell' : 'let_go';
    await this.move(change, [{ departureId, units }]);
  }

  /** A hold becomes a booking. Throws where fewer units are held: that is a fault of the caller's. */
  async sellHeld(departureId: string, units: number): Promise<void> {
    await this.move('sell_held', [{ departureId, units }]);
  }

  /**
   * Sets units aside for channels, on all of these departures or on none. The caller holds them by `lock` or `lockUpcoming`.
   * Throws 404, 409 `departure_cancelled`, `capacity_exceeded` with details {available, departures}.
   */
  async raiseGuaranteed(...wanted: Units[]): Promise<void> {
    await this.move('guarantee', wanted);
  }

  /** Back into the pool. Throws where fewer units are set aside: that is a fault of the caller's. */
  async lowerGuaranteed(...given: Units[]): Promise<void> {
    await this.move('release', given);
  }

  /** Units that were set aside go back to the supplier: the capacity falls with them. Throws like `lowerGuaranteed`. */
  async withdrawGuaranteed(...given: Units[]): Promise<void> {
    await this.move('withdraw', given);
  }

  /**
   * The way back of `withdrawGuaranteed`: the supplier lets us have them again. Throws 404, 409 `departure_cancelled`,
   * `capacity_exceeded`.
   */
  async restoreGuaranteed(...wanted: Units[]): Promise<void> {
    await this.move('bring_back', wanted);
  }

  private async move(change: Change, wanted: Units[]): Promise<void> {
    const moves = wanted.filter(({ units }) => units !== 0);
    if (moves.some(({ units }) => !Number.isInteger(units) || units < 0)) throw new RangeError('No number of units');
    if (moves.length === 0) return;
    const values = [moves.map(({ departureId }) => departureId), moves.map(({ units }) => units)];
    const moved = await this.database.prepared<Moved>(`departures-${change}`, CHANGES[change], values);
    if (moved.length < moves.length) await this.refuse(change, moves, moved);
    for (const departure of moved) this.journal.tell(departure);
  }

  /** Says why not all of them could be moved. */
  private async refuse(change: Change, moves: Units[], moved: Moved[]): Promise<never> {
    const done = new Set(moved.map(({ id }) => id));
    const ids = moves.map(({ departureId }) => departureId).filter((id) => !done.has(id));
    const left = LEFT[change];
    if (left === null) throw new Error(`${change}: fewer units of ${ids.join(', ')} than that were taken`);
    const text = `select id as "departureId", status, ${left} as available from departures where id = any($1) order by id`;
    const found = await this.database.query<Short>(text, [ids]);
    if (found.length < ids.length) throw notFound({ field: 'departureId' });
    const cancelled = found.filter(({ status }) => status === 'cancelled');
    if (cancelled.length > 0) {
      const departureIds = cancelled.map(({ departureId }) => departureId);
      throw conflict('departure_cancelled', 'The departure is cancelled', { departureIds });
    }
    const departures = found.map(({ departureId, available }) => ({ departureId, available }));
    const available = Math.min(...departures.map((departure) => departure.available));
    const details = change === 'guarantee' ? { available, departures } : { available };
    throw conflict('capacity_exceeded', 'Not enough units available', details);
  }
}

/** What `CHANGES` return. */
type Moved = Parameters<DepartureJournal['tell']>[0];

interface Short {
  departureId: string;
  status: DepartureStatus;
  available: number;
}
