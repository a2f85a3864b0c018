import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Departure, type DepartureView } from './departure.entity.js';

/** Of two-key advisory locks: who adds departures to a product, or counts on all of them, holds its lock. */
const PRODUCTS = 7_120_020;

/** The rows of departures. */
@Injectable()
export class DepartureRows {
  constructor(private readonly database: Database) {}

  /** Throws 404; `details` are those of a departure that a body names. */
  async get(id: string, details?: { field: string }): Promise<DepartureView> {
    const [view] = await this.find('departure-get', 'd.id = $1', [id]);
    if (!view) throw notFound(details);
    return view;
  }

  async readAll(ids: readonly string[]): Promise<DepartureView[]> {
    return this.find('departures-read', 'd.id = any($1)', [ids]);
  }

  /** Locks those that meet the condition, one after the other by id, until the running transaction ends. */
  async lockAll(name: string, condition: string, values: unknown[]): Promise<DepartureView[]> {
    return this.find(name, `${condition} order by d.id for update`, values);
  }

  /** Does the work in a transaction that holds the product. */
  async within<T>(productId: string, work: () => Promise<T>): Promise<T> {
    return this.database.transaction(async () => {
      await this.lockProduct(productId);
      return work();
    });
  }

  /** Does the work in a transaction that holds the product and the departure. Throws 404, 412. */
  async change<T>(
    id: string,
    expected: ExpectedVersions,
    work: (departure: Departure, before: DepartureView) => Promise<T>,
  ): Promise<T> {
    // The product never changes, so it may be asked for before it is held.
    const { productId } = await this.get(id);
    return this.within(productId, async () => {
      const departure = await this.database.lock(Departure, id);
      if (!departure) throw notFound();
      assertVersion(expected, departure);
      return work(departure, await this.get(id));
    });
  }

  async insert(departure: Departure): Promise<void> {
    await this.database.insert(departure);
  }

  /** Of a departure that `change` holds. */
  async update(departure: Departure): Promise<void> {
    await this.database.update(departure);
  }

  /**
   * Until the running transaction ends nobody else adds, moves or cancels departures of this product by staff's routes, or
   * allots units of it. Taken before any departure is locked.
   */
  async lockProduct(productId: string): Promise<void> {
    await this.database.prepared('departures-product', `select pg_advisory_xact_lock(${PRODUCTS}, hashtext($1))`, [
      productId,
    ]);
  }

  private async find(name: string, rest: string, values: unknown[]): Promise<DepartureView[]> {
    const columns = this.database.columnsOf(Departure, 'd');
    const text = `select ${columns}, d.start_date from departures d where ${rest}`;
    const rows = await this.database.read<Departure, { start_date: string }>(Departure, { name, text, values });
    return rows.map(({ entity, raw }) => ({ ...entity, startDate: raw.start_date }));
  }
}
