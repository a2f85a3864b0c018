import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { ComponentRows } from '../components/component-rows.service.js';
import type { TripComponent } from '../components/component.entity.js';
import { PlanRows } from '../reservations/plan-rows.service.js';
import type { Plan } from '../reservations/plan.js';
import { Trip } from './trip.entity.js';

/** A trip as it is answered: with its components, and its last reservation. */
export interface TripView {
  trip: Trip;
  components: TripComponent[];
  plan: Plan | null;
}

const OVERDUE = {
  hold: `select id from trip_envelopes where status = 'reserved' and hold_expires_at <= $1 order by id limit 200`,
  lease: `select id from trip_envelopes where status = 'reserve_in_progress' and lease_expires_at <= $1
    order by id limit 200`,
};

/** The rows of trips, for the services of this module. */
@Injectable()
export class TripRows {
  constructor(
    private readonly database: Database,
    readonly components: ComponentRows,
    readonly plans: PlanRows,
  ) {}

  /** Does the work in one transaction, or in the running one. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  /** Holds the trip, its components and its plans until the running transaction ends. Throws 404. */
  async lock(id: string): Promise<Trip> {
    return (await this.database.lock(Trip, id)) ?? refuseUnknown();
  }

  async insert(trip: Trip): Promise<void> {
    await this.database.insert(trip);
  }

  async update(trip: Trip): Promise<void> {
    await this.database.update(trip);
  }

  /** All of it, sent together: units of a departure that many want may be held meanwhile. */
  async store({ trip, components, plan }: TripView): Promise<void> {
    const saved = plan ? [this.plans.save(plan)] : [];
    await Promise.all([...saved, this.components.save(components, plan?.id), this.update(trip)]);
  }

  /** Trips whose holds have lapsed, or whose reservation nobody renews any more; a batch of them. */
  async overdue(what: 'hold' | 'lease', now: Date): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(OVERDUE[what], [now]);
    return rows.map(({ id }) => id);
  }

  /** Those that were not removed, in their order. */
  async componentsOf({ id }: Trip): Promise<TripComponent[]> {
    return this.components.of([id]);
  }

  /** Throws 404. */
  async view(id: string): Promise<TripView> {
    const [found] = await this.database.read<Trip>(Trip, {
      name: 'trip-get',
      text: `select ${this.database.columnsOf(Trip, 't')} from trip_envelopes t where t.id = $1`,
      values: [id],
    });
    const [view] = found ? await this.viewsOf([found.entity]) : [];
    return view ?? refuseUnknown();
  }

  /** In two statements, however many there are. */
  async viewsOf(trips: readonly Trip[]): Promise<TripView[]> {
    const ids = trips.map(({ id }) => id);
    const components = await this.components.of(ids);
    const plans = await this.plans.lastOf(ids);
    return trips.map((trip) => ({
      trip,
      components: components.filter(({ envelopeId }) => envelopeId === trip.id),
      plan: plans.get(trip.id) ?? null,
    }));
  }
}

function refuseUnknown(): never {
  throw notFound();
}
