import { randomInt, randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { TestApp } from '../../setup/app.js';
import type { Answer } from '../../setup/http.js';
import { addItem, type Booking, type Item, makeBooking } from '../../bookings/bookings.js';
import { newDeparture } from '../../operations/departures.js';
import { newChannel } from '../channels.js';

export { invalid, newChannel, NOT_FOUND, errorBody as refusal } from '../channels.js';

export const ALLOTMENTS = '/v1/admin/distribution/inventory-allotments';

export interface Allotment extends Record<string, unknown> {
  id: string;
  channelId: string;
  productId: string;
  validTo: string | null;
  active: boolean;
  version: number;
  updatedAt: string;
}

export interface Slot extends Record<string, unknown> {
  id: string;
  allotmentId: string;
  departureId: string;
  allotted: number;
  sold: number;
  held: number;
  released: number;
  suspended: number;
  expired: number;
  remaining: number;
  closed: boolean;
  version: number;
}

export type AllotmentAnswer = Answer<{ data: Allotment }>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const product = () => `product-${randomUUID()}`;

/** A departure of a product in N days, at 06:00 UTC. */
export function departureIn(app: TestApp, days: number, terms: object = {}) {
  const start = new Date(app.now().getTime() + days * DAY_MS).setUTCHours(6, 0, 0, 0);
  const startsAt = new Date(start).toISOString();
  const endsAt = new Date(start + 4 * HOUR_MS).toISOString();
  return newDeparture(app, { startsAt, endsAt, ...terms });
}

/** Creates an allotment for a new channel and product, unless `terms` contain others; valid from yesterday on. */
export async function allotmentBody(app: TestApp, terms: object = {}): Promise<object> {
  const validFrom = app.day(-1);
  const { id: channelId } = 'channelId' in terms ? { id: terms.channelId } : await newChannel(app);
  return { channelId, productId: product(), validFrom, defaultQuantity: 4, ...terms };
}

export async function newAllotment(app: TestApp, terms: object = {}): Promise<Allotment> {
  const answer: AllotmentAnswer = await app.as('owner').post(ALLOTMENTS, await allotmentBody(app, terms));
  if (answer.status !== 201) throw new Error(`The allotment was rejected: ${answer.text}`);
  return answer.body.data;
}

/** Creates a booking of the allotment's channel, because no other channel may sell from it. */
export async function bookingThrough(app: TestApp, allotmentId: string): Promise<Booking> {
  const owner = app.as('owner');
  const { body } = await owner.get<{ data: Allotment }>(`${ALLOTMENTS}/${allotmentId}`);
  return makeBooking(owner, { channelId: body.data.channelId });
}

/** Creates a booking with an item sold from the allotment. */
export async function sell(
  app: TestApp,
  { allotment, departure }: { allotment: { id: string }; departure: { id: string } },
  quantity: number,
): Promise<Item> {
  const { id } = await bookingThrough(app, allotment.id);
  return addItem(app.as('owner'), id, { departureId: departure.id, allotmentId: allotment.id, quantity });
}

export async function slotsOf(app: TestApp, id: string): Promise<Slot[]> {
  const { body } = await app.as('owner').get<{ data: Slot[]; total: number }>(`${ALLOTMENTS}/${id}/slots?limit=200`);
  return body.data;
}

export async function onlySlot(app: TestApp, id: string): Promise<Slot> {
  const [slot, ...others] = await slotsOf(app, id);
  if (!slot || others.length > 0) throw new Error(`${others.length} slots more than one`);
  return slot;
}

/** Creates a product with one departure, allotted to a new channel. */
export async function allotted(
  app: TestApp,
  {
    capacity = 20,
    units = 10,
    days = 60,
    ...terms
  }: { capacity?: number; units?: number; days?: number; release?: object; type?: string; channelId?: string } = {},
) {
  const departure = await departureIn(app, days, { capacity });
  const { productId } = departure;
  const allotment = await newAllotment(app, { productId, defaultQuantity: units, ...terms });
  return { allotment, departure, slot: await onlySlot(app, allotment.id) };
}

/** The units of the only slot. */
export async function unitsOf(app: TestApp, allotmentId: string) {
  const { allotted: all, sold, released, remaining } = await onlySlot(app, allotmentId);
  return { allotted: all, sold, released, remaining };
}

/** The units of a departure. */
export async function poolOf(app: TestApp, departureId: string) {
  const { body } = await app
    .as('owner')
    .get<{ data: Record<string, number> }>(`/v1/admin/operations/departures/${departureId}`);
  const { capacity, sold, held, guaranteedOpen, available } = body.data;
  return { capacity, sold, held, guaranteedOpen, available };
}

export interface Moved {
  kind: string;
  cause: string;
  quantity: number;
}

/** The movements of an allotment's slots, oldest first. */
export function movementsOf(app: TestApp, allotmentId: string): Promise<Moved[]> {
  return app.sql<Moved>(
    `select m.kind, m.cause, m.quantity from allotment_movements m join allotment_slots s on s.id = m.slot_id
     where s.allotment_id = $1 order by m.created_at, m.id`,
    [allotmentId],
  );
}

/** Checks that sold, released and guaranteed units equal the movements, items and slots. */
export async function expectSumsToAgree(app: TestApp, departureIds: readonly string[]): Promise<void> {
  const slots = await app.sql(
    `select s.id from allotment_slots s
     left join lateral (
       select coalesce(sum(quantity) filter (where kind = 'pick'), 0) - coalesce(sum(quantity) filter (where kind = 'unpick'), 0) as sold,
              coalesce(sum(quantity) filter (where kind = 'hold'), 0) - coalesce(sum(quantity) filter (where kind = 'let_go'), 0) as held,
              coalesce(sum(quantity) filter (where kind in ('allot', 'reclaim', 'resume')), 0)
                - coalesce(sum(quantity) filter (where kind in ('release', 'suspend')), 0) as given
       from allotment_movements where slot_id = s.id) m on true
     left join lateral (
       select coalesce(sum(quantity * seats_per_unit), 0) as sold from booking_items i
       where i.allotment_id = s.allotment_id and i.departure_id = s.departure_id and i.status <> 'cancelled') i on true
     where s.departure_id = any($1) and (
       s.sold <> m.sold or s.held <> m.held or s.sold <> i.sold or s.allotted - s.released - s.suspended <> m.given
       or (select coalesce(sum(outstanding), 0) from release_executions where slot_id = s.id) > s.released - s.expired)`,
    [departureIds],
  );
  expect(slots).toEqual([]);
  const departures = await app.sql(
    `select d.id from departures d
     where d.id = any($1) and (
       d.sold <> (select coalesce(sum(quantity * seats_per_unit), 0) from booking_items i where i.departure_id = d.id and i.status <> 'cancelled')
       or d.guaranteed_open <> (
         select coalesce(sum(s.allotted - s.sold - s.held - s.released - s.suspended), 0) from allotment_slots s
         join allotments a on a.id = s.allotment_id where s.departure_id = d.id and a.type = 'guaranteed'))`,
    [departureIds],
  );
  expect(departures).toEqual([]);
}

/** Repeats a call while the service, or the share of the caller, is busy. */
export async function patiently<Body>(call: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503 && answer.status !== 429) return answer;
    await new Promise((resolve) => setTimeout(resolve, randomInt(50, 250)));
  }
}
