import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { containsWordsSql } from '../../../platform/database/like.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { Database } from '../../../platform/database/database.js';
import type { Rows } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ReservationPlan, ReservationStep } from './reservation-plan.js';
import { TripComponent } from './trip-component.entity.js';
import type { ListTrips } from './trip.dto.js';
import { Trip, type TripView } from './trip.entity.js';

/** The members of a component that can change, with an event for each new status. One statement for all components. */
const SAVE_COMPONENTS = `with w as (
    select * from jsonb_to_recordset($1::jsonb) as w (
      id text, title text, quantity int, status text, "departureId" text, "providerRef" text, "unitPriceCents" bigint,
      "unitTaxIncludedCents" bigint, "confirmedByStaff" boolean, "serviceDate" date, "subtotalCents" bigint,
      "taxCents" bigint, "totalCents" bigint, "priceExpiresAt" timestamptz, "holdExpiresAt" timestamptz,
      "bookingItemId" text, "cancellationFeeCents" bigint, warnings jsonb, "taxCodeId" text, "optionId" text,
      units jsonb, lines jsonb, "bookingItemIds" text[])
  ), before as (
    select c.id, c.status from trip_components c join w using (id)
  ), saved as (
    update trip_components c set title = w.title, quantity = w.quantity, status = w.status,
      departure_id = w."departureId", provider_ref = w."providerRef", unit_price_cents = w."unitPriceCents",
      unit_tax_included_cents = w."unitTaxIncludedCents", confirmed_by_staff = w."confirmedByStaff",
      service_date = w."serviceDate", subtotal_cents = w."subtotalCents", tax_cents = w."taxCents",
      total_cents = w."totalCents", price_expires_at = w."priceExpiresAt", hold_expires_at = w."holdExpiresAt",
      booking_item_id = w."bookingItemId", cancellation_fee_cents = w."cancellationFeeCents", warnings = w.warnings,
      tax_code_id = w."taxCodeId", option_id = w."optionId", units = w.units, lines = w.lines,
      booking_item_ids = w."bookingItemIds", version = c.version + 1, updated_at = $2
    from w where c.id = w.id returning c.id, c.envelope_id, c.status
  ), events as (
    insert into trip_component_events (component_id, envelope_id, plan_id, from_status, to_status, created_at)
    select s.id, s.envelope_id, $3, b.status, s.status, $2 from saved s join before b using (id)
    where s.status <> b.status
  )
  select count(*)::int as count from saved`;

const PLAN = `p.id, p.envelope_id as "envelopeId", p.attempt, p.status, p.created_at as "createdAt",
  p.updated_at as "updatedAt", (
    select jsonb_agg(jsonb_build_object(
      'id', s.id, 'componentId', s.component_id, 'position', s.position, 'provider', s.provider,
      'providerKey', s.provider_key, 'status', s.status, 'offer', s.offer, 'holdExpiresAt', s.hold_expires_at,
      'failure', s.failure, 'attempts', s.attempts, 'tries', s.tries, 'unknownSince', s.unknown_since,
      'dueAt', s.due_at) order by s.position)
    from reservation_steps s where s.plan_id = p.id) as steps`;

/** Inserts or updates a plan with its steps in one statement. Counts the attempt of a new plan. */
const SAVE_PLAN = `with p as (
    insert into reservation_plans as p (id, envelope_id, attempt, status, created_at, updated_at)
    select $1, $2, coalesce((select max(attempt) from reservation_plans where envelope_id = $2), 0) + 1, $3, $4, $4
    on conflict (id) do update set status = excluded.status, updated_at = excluded.updated_at
    returning p.attempt, p.created_at
  ), s as (
    insert into reservation_steps as s (id, plan_id, envelope_id, component_id, position, provider, provider_key,
      status, offer, hold_expires_at, failure, attempts, tries, unknown_since, due_at, created_at, updated_at)
    select w.id, $1, $2, w."componentId", w.position, w.provider, w."providerKey", w.status, w.offer,
      w."holdExpiresAt", w.failure, w.attempts, w.tries, w."unknownSince", w."dueAt", $4, $4
    from jsonb_to_recordset($5::jsonb) as w (id text, "componentId" text, position int, provider text,
      "providerKey" text, status text, offer jsonb, "holdExpiresAt" timestamptz, failure jsonb, attempts int,
      tries int, "unknownSince" timestamptz, "dueAt" timestamptz)
    on conflict (id) do update set status = excluded.status, hold_expires_at = excluded.hold_expires_at,
      failure = excluded.failure, attempts = excluded.attempts, tries = excluded.tries,
      unknown_since = excluded.unknown_since, due_at = excluded.due_at, updated_at = excluded.updated_at
    where (s.status, s.attempts, s.tries, s.due_at is null)
      is distinct from (excluded.status, excluded.attempts, excluded.tries, excluded.due_at is null)
  )
  select attempt, created_at as "createdAt" from p`;

/** A step in JSON. */
type StepRow = Omit<ReservationStep, StepInstant> & Record<StepInstant, string | null>;
type StepInstant = 'holdExpiresAt' | 'unknownSince' | 'dueAt';
type PlanRow = Omit<ReservationPlan, 'steps'> & { steps: StepRow[] | null };

/** Reads and writes trips, their components and their reservation plans. All of them are written while the trip is locked. */
@Injectable()
export class TripsRepository {
  readonly trips: Rows<Trip>;
  private readonly components: Rows<TripComponent>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.trips = database.rows(Trip);
    this.components = database.rows(TripComponent);
  }

  async getView(id: string): Promise<TripView> {
    return this.viewOf(await this.trips.get(id));
  }

  async viewOf(trip: Trip): Promise<TripView> {
    const [view] = await this.viewsOf([trip]);
    return view ?? { trip, components: [], plan: null };
  }

  /** Locks the trip and reads its components and plan. */
  async lockView(id: string): Promise<TripView> {
    return this.viewOf(await this.trips.lock(id));
  }

  async list(query: ListTrips): Promise<{ views: TripView[]; total: number }> {
    const { status, search, bookingId, customerId, attention, createdAfter, createdBefore } = query;
    const { sort = '-createdAt' } = query;
    const found = this.trips.query('trip');
    filterRows(found, 'trip.status', status);
    if (bookingId !== undefined) found.andWhere('trip.booking_id = :bookingId', { bookingId });
    if (customerId !== undefined) found.andWhere('trip.customer_id = :customerId', { customerId });
    if (attention !== undefined) found.andWhere('trip.attention = :attention', { attention });
    if (createdAfter !== undefined) found.andWhere('trip.created_at >= :createdAfter', { createdAfter });
    if (createdBefore !== undefined) found.andWhere('trip.created_at < :createdBefore', { createdBefore });
    if (search !== undefined) found.andWhere(containsWordsSql('trip.search_text', ':search'), { search });
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    const field = sort.endsWith('updatedAt') ? 'trip.updated_at' : 'trip.created_at';
    found.orderBy(field, direction).addOrderBy('trip.id', direction);
    const { rows, total } = await this.trips.page(found, pageBounds(query));
    return { views: await this.viewsOf(rows), total };
  }

  /** Returns the components of the trip that are not removed, by position. */
  async componentsOf(tripId: string): Promise<TripComponent[]> {
    return this.componentsOfAll([tripId]);
  }

  /** A removed component or one of another trip is not found. */
  async getComponent(tripId: string, id: string): Promise<TripComponent> {
    const component = (await this.componentsOf(tripId)).find((known) => known.id === id);
    if (!component) throw notFound();
    return component;
  }

  /** Adds the component as the last one of its trip. */
  async appendComponent(component: TripComponent): Promise<void> {
    const [last] = await this.database.query<{ next: number }>(
      'select coalesce(max(position) + 1, 0) as next from trip_components where envelope_id = $1',
      [component.envelopeId],
    );
    component.position = last?.next ?? 0;
    await this.components.insert(component);
    await this.database.query(
      `insert into trip_component_events (component_id, envelope_id, to_status, created_at) values ($1, $2, $3, $4)`,
      [component.id, component.envelopeId, component.status, component.createdAt],
    );
  }

  /** `planId` identifies the reservation that changes them, if any. */
  async saveComponents(components: readonly TripComponent[], planId: string | null = null): Promise<void> {
    if (components.length === 0) return;
    const now = this.clock.now();
    const values = [JSON.stringify(components), now, planId];
    const [saved] = await this.database.prepared<{ count: number }>('trip-components-save', SAVE_COMPONENTS, values);
    if (saved?.count !== components.length) throw new Error('A component was changed without locking its trip');
    for (const component of components) Object.assign(component, { version: component.version + 1, updatedAt: now });
  }

  /** Saves all of it in one round trip, sent before the first `await`: the caller may send more with it. */
  async save({ trip, components, plan }: TripView): Promise<void> {
    const saved = plan ? [this.savePlan(plan)] : [];
    await Promise.all([...saved, this.saveComponents(components, plan?.id), this.trips.update(trip)]);
  }

  async lastPlan(tripId: string): Promise<ReservationPlan | null> {
    return (await this.lastPlansOf([tripId])).get(tripId) ?? null;
  }

  /** Returns the plan of a step, which may be an earlier plan of its trip. */
  async planOfStep(stepId: string): Promise<ReservationPlan | null> {
    const [row] = await this.database.query<PlanRow>(
      `select ${PLAN} from reservation_plans p
       where p.id = (select plan_id from reservation_steps where id = $1)`,
      [stepId],
    );
    return row ? toPlan(row) : null;
  }

  async savePlan(plan: ReservationPlan): Promise<void> {
    const now = this.clock.now();
    const { id, envelopeId, status, steps } = plan;
    const values = [id, envelopeId, status, now, JSON.stringify(steps)];
    type Saved = Pick<ReservationPlan, 'attempt' | 'createdAt'>;
    const [saved] = await this.database.prepared<Saved>('reservation-plan-save', SAVE_PLAN, values);
    Object.assign(plan, { ...saved, updatedAt: now });
  }

  /** Locks the trip that became this booking; null if there is none. */
  async lockTripOf(bookingId: string): Promise<Trip | null> {
    const trip = await this.trips.findBy({ bookingId });
    return trip && this.trips.lock(trip.id);
  }

  /** The customer of a trip, read without a lock. */
  async customerOf(id: string): Promise<string | null> {
    const text = 'select customer_id as "customerId" from trip_envelopes where id = $1';
    const [found] = await this.database.query<{ customerId: string | null }>(text, [id]);
    return found?.customerId ?? null;
  }

  async countReservedOf(customerId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from trip_envelopes
       where customer_id = $1 and status in ('reserve_in_progress', 'reserved')`,
      [customerId],
    );
    return row?.count ?? 0;
  }

  /** Moves the trips of these customers to another one, and returns them with their former customers. */
  async moveToCustomer(
    customerId: string,
    formerIds: readonly string[],
  ): Promise<{ id: string; customerId: string }[]> {
    return this.database.query(
      `update trip_envelopes trip set customer_id = $1, version = trip.version + 1
       from (
         select id, customer_id from trip_envelopes where customer_id = any($2) order by id for update
       ) as former
       where former.id = trip.id
       returning trip.id, former.customer_id as "customerId"`,
      [customerId, formerIds],
    );
  }

  /** Moves these trips back, unless they have moved again. */
  async moveBack(customerId: string, trips: readonly { id: string; customerId: string }[]): Promise<void> {
    await this.database.execute(
      `update trip_envelopes trip set customer_id = moved.former_id, version = trip.version + 1
       from (
         select trip.id, moved.former_id
         from trip_envelopes trip join unnest($2::text[], $3::text[]) as moved (id, former_id) on moved.id = trip.id
         where trip.customer_id = $1 order by trip.id for update of trip
       ) as moved
       where trip.id = moved.id`,
      [customerId, trips.map(({ id }) => id), trips.map((trip) => trip.customerId)],
    );
  }

  /** Claims at most `limit` steps whose provider must be called now. Until the claim ends no other process gets them. */
  async claimDueSteps(until: Date, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `update reservation_steps set due_at = $2
       where id in (select id from reservation_steps where due_at <= $1 order by due_at limit $3 for update skip locked)
       returning id`,
      [this.clock.now(), until, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Up to 200 trips whose reservation has a step that is unknown since this instant, or a hold that has expired. */
  async idsOfOverdueReservations(unknownSince: Date): Promise<string[]> {
    return this.ids(
      `select distinct t.id from trip_envelopes t join reservation_plans p on p.envelope_id = t.id
       join reservation_steps s on s.plan_id = p.id
       where t.status = 'reserve_in_progress' and p.status in ('running', 'compensating')
         and (s.status = 'unknown' and s.unknown_since <= $1 or s.status = 'held' and s.hold_expires_at <= $2)
       order by t.id limit 200`,
      unknownSince,
      this.clock.now(),
    );
  }

  /** Up to 200 trips whose holds have expired. */
  async idsWithExpiredHolds(): Promise<string[]> {
    return this.ids(
      `select id from trip_envelopes where status = 'reserved' and hold_expires_at <= $1 order by id limit 200`,
      this.clock.now(),
    );
  }

  /** Returns up to 200 trips whose reservation no process continues. */
  async idsWithExpiredLease(): Promise<string[]> {
    return this.ids(
      `select id from trip_envelopes where status = 'reserve_in_progress' and lease_expires_at <= $1
       order by id limit 200`,
      this.clock.now(),
    );
  }

  /**
   * Returns trips that are not cancelled and have a component that is not on the day of its departure, or only the trip of this
   * booking.
   */
  async idsNotOnDayOf(departureId: string, bookingId: string | null = null): Promise<string[]> {
    return this.ids(
      `select distinct t.id from trip_components c
       join departures d on d.id = c.departure_id join trip_envelopes t on t.id = c.envelope_id
       where c.departure_id = $1 and c.status not in ('cancelling', 'cancelled', 'cancel_failed', 'removed')
         and c.service_date <> d.start_date and t.status <> 'cancelled' and ($2::text is null or t.booking_id = $2)
       order by t.id`,
      departureId,
      bookingId,
    );
  }

  /** Live trips with a component on the departure that is not cancelled or removed. */
  async countOnDeparture(departureId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(distinct t.id)::int as count from trip_components c join trip_envelopes t on t.id = c.envelope_id
       where c.departure_id = $1 and c.status not in ('cancelled', 'removed') and t.status <> 'cancelled'`,
      [departureId],
    );
    return row?.count ?? 0;
  }

  /** The options of the units on the departure that trips hold, or are about to hold. */
  async optionsHeldOn(departureId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select distinct line ->> 'optionId' as id
       from trip_components c join trip_envelopes t on t.id = c.envelope_id
       cross join jsonb_array_elements(c.lines) as line
       where c.departure_id = $1 and line ->> 'optionId' is not null and (
         (t.status = 'reserved' and c.status = 'held')
         or (t.status = 'reserve_in_progress' and c.status not in ('cancelled', 'removed')))`,
      [departureId],
    );
    return rows.map(({ id }) => id);
  }

  /** Uses two statements. */
  private async viewsOf(trips: readonly Trip[]): Promise<TripView[]> {
    const ids = trips.map(({ id }) => id);
    const components = await this.componentsOfAll(ids);
    const plans = await this.lastPlansOf(ids);
    return trips.map((trip) => ({
      trip,
      components: components.filter(({ envelopeId }) => envelopeId === trip.id),
      plan: plans.get(trip.id) ?? null,
    }));
  }

  private async componentsOfAll(tripIds: readonly string[]): Promise<TripComponent[]> {
    return this.components.read({
      name: 'trip-components-of',
      text: `select ${this.components.columns('c')} from trip_components c
        where c.envelope_id = any($1) and c.status <> 'removed' order by c.envelope_id, c.position`,
      values: [tripIds],
    });
  }

  private async lastPlansOf(tripIds: readonly string[]): Promise<Map<string, ReservationPlan>> {
    const rows = await this.database.prepared<PlanRow>(
      'reservation-plans-last',
      `select distinct on (p.envelope_id) ${PLAN} from reservation_plans p
       where p.envelope_id = any($1) order by p.envelope_id, p.attempt desc`,
      [tripIds],
    );
    return new Map(rows.map((row) => [row.envelopeId, toPlan(row)]));
  }

  private async ids(text: string, ...values: unknown[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(text, values);
    return rows.map(({ id }) => id);
  }
}

function toPlan({ steps, ...plan }: PlanRow): ReservationPlan {
  const instant = (text: string | null) => (text === null ? null : new Date(text));
  const read = ({ holdExpiresAt, unknownSince, dueAt, ...step }: StepRow): ReservationStep => ({
    ...step,
    holdExpiresAt: instant(holdExpiresAt),
    unknownSince: instant(unknownSince),
    dueAt: instant(dueAt),
  });
  return { ...plan, steps: (steps ?? []).map(read) };
}
