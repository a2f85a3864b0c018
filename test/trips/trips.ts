import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { SimulatedProvider } from '../../src/modules/trips/providers/simulated-provider.js';
import { ExternalOrdersService } from '../../src/modules/trips/orders/external-orders.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

import { insisting } from '../bookings/bookings.js';
import { addFaults, type Behaviour, BEHAVIOURS } from './faulty-provider.js';

export { entriesAbout, insisting, problem, staffWith } from '../bookings/bookings.js';
export const TRIPS = '/v1/admin/trips';
const DEPARTURES = '/v1/admin/operations/departures';

export interface One<T> {
  data: T;
}

export interface Component extends Record<string, unknown> {
  componentId: string;
  status: string;
  totalCents: number | null;
  version: number;
}

/** The members that the tests read; the contract tests check the others. */
export interface Trip extends Record<string, unknown> {
  envelopeId: string;
  status: string;
  components: Component[];
  totalCents: number | null;
  holdExpiresAt: string | null;
  bookingId: string | null;
  attention: boolean;
  reservation: { planId: string; status: string; attempt: number; steps: Step[] } | null;
  version: number;
}

export interface Step extends Record<string, unknown> {
  stepId: string;
  componentId: string;
  status: string;
}

export interface Departure {
  id: string;
  sold: number;
  held: number;
  available: number;
}

export const PARTY = {
  billing: { name: 'Ada Lovelace', email: 'ada@example.com' },
  travelers: [{ name: 'Ada Lovelace' }],
};

export const MANUAL = {
  kind: 'manual_placeholder',
  title: 'Private guide',
  unitPriceCents: 10_000,
  unitTaxIncludedCents: 1_597,
  confirmedByStaff: true,
};

let products = 0;

export async function makeDeparture(client: TestClient, over: object = {}): Promise<Departure> {
  products += 1;
  const sent = {
    productId: `trip-test-${process.pid}-${products}`,
    startsAt: '2027-05-12T07:00:00Z',
    endsAt: '2027-05-12T16:00:00Z',
    timeZone: 'Europe/Bucharest',
    capacity: 10,
    priceCents: 5_900,
    taxIncludedCents: 942,
    currency: 'EUR',
    ...over,
  };
  const { status, body } = await client.post<One<Departure>>(DEPARTURES, sent);
  expect(status).toBe(201);
  return body.data;
}

export async function readDeparture(client: TestClient, id: string): Promise<Departure> {
  return (await client.get<One<Departure>>(`${DEPARTURES}/${id}`)).body.data;
}

export const seats = (departureId: string, over: object = {}): object => ({
  kind: 'catalog_booking',
  title: 'Danube delta',
  departureId,
  ...over,
});
export const external = (providerRef: string, over: object = {}): object => ({
  kind: 'external_order',
  title: 'Hotel',
  providerRef,
  ...over,
});

/** Creates a draft with these components. */
export async function makeTrip(client: TestClient, components: object[], over: object = {}): Promise<Trip> {
  const body = { currency: 'EUR', travelerParty: PARTY, ...over };
  const made = await insisting(() => client.post<One<Trip>>(TRIPS, body));
  expect(made.status).toBe(201);
  const { envelopeId } = made.body.data;
  for (const component of components) {
    const { status } = await insisting(() => client.post(`${TRIPS}/${envelopeId}/components`, component));
    expect(status).toBe(201);
  }
  return readTrip(client, envelopeId);
}

export async function readTrip(client: TestClient, id: string): Promise<Trip> {
  return (await client.get<One<Trip>>(`${TRIPS}/${id}`)).body.data;
}

export const price = (client: TestClient, id: string) => client.post<One<Trip>>(`${TRIPS}/${id}/pricing`);
export const reserve = (client: TestClient, id: string) => client.post<One<Trip>>(`${TRIPS}/${id}/reserve`);
export const book = (client: TestClient, id: string, body?: object) =>
  client.post<One<Trip>>(`${TRIPS}/${id}/booking`, body);
export const cancel = (client: TestClient, id: string, body?: object) =>
  client.post<One<Trip>>(`${TRIPS}/${id}/cancellation`, body);

/** Creates and reserves a trip. A provider may still be quoting: the reservation is then asked for again, as a client does. */
export async function reservedTrip(client: TestClient, components: object[]): Promise<Trip> {
  const { envelopeId } = await makeTrip(client, components);
  for (let tries = 0; tries < 10; tries += 1) {
    const { status, body, text } = await reserve(client, envelopeId);
    if (status === 200) return body.data;
    const { code } = JSON.parse(text) as { code?: string };
    if (code !== 'quote_pending') throw new Error(text);
    await pause(500);
  }
  throw new Error('A provider has not quoted after ten tries');
}

addFaults(SimulatedProvider);
let refs = 0;
let behaviours: Promise<unknown> | null = null;

/** Creates a product of the simulated provider that behaves like this. */
export async function simulate(app: TestApp, behaviour: Behaviour = {}): Promise<string> {
  refs += 1;
  const ref = `sim-${process.pid}-${refs}`;
  await behave(app, ref, behaviour);
  return ref;
}

/** The product behaves like this from now on. */
export async function behave(app: TestApp, ref: string, behaviour: Behaviour = {}): Promise<void> {
  await (behaviours ??= app.sql(BEHAVIOURS));
  await app.sql(
    `insert into simulated_provider.behaviours (ref, behaviour) values ($1, $2::jsonb)
     on conflict (ref) do update set behaviour = excluded.behaviour`,
    [ref, JSON.stringify({ priceCents: 12_000, currency: 'EUR', ...behaviour })],
  );
}

/** The orders of this product at the simulated provider. */
export async function ordersOf(app: TestApp, ref: string): Promise<{ state: string; holds: number }[]> {
  return app.sql('select state, holds from simulated_provider.orders where ref = $1 order by key', [ref]);
}

/** Calls the providers of all orders that are due. */
export const callProviders = (app: TestApp) => asSystem(() => app.nest.get(ExternalOrdersService).settleDue());

/** The pauses between calls to confirm or to cancel, in minutes. */
export const PAUSES = [1, 5, 30, 120, 240, 420, 624];

/** Makes all unanswered calls of an order, and one more. */
export async function untilGivenUp(app: TestApp): Promise<void> {
  await callProviders(app);
  for (const minutes of [...PAUSES, 24 * 60]) {
    app.travel({ ms: minutes * 60_000 + 100 });
    await callProviders(app);
  }
}

/** A booked trip whose external orders are confirmed. */
export async function bookedTrip(app: TestApp, components: object[]): Promise<Trip> {
  const owner = app.as('owner');
  const { envelopeId } = await reservedTrip(owner, components);
  expect((await book(owner, envelopeId)).status).toBe(200);
  await callProviders(app);
  return readTrip(owner, envelopeId);
}

export interface Attention extends Record<string, unknown> {
  attentionId: string;
  code: string;
  resolution: string | null;
}

/** The attentions of the trip, newest first. */
export async function attentionsOf(client: TestClient, id: string): Promise<Attention[]> {
  return (await client.get<{ data: Attention[] }>(`${TRIPS}/${id}/attentions`)).body.data;
}

/** Creates a booked trip whose provider has rejected the confirmation, and returns the paths of the problem. */
export async function unconfirmedTrip(app: TestApp, behaviour: Behaviour = { confirm: 'refuse' }) {
  const owner = app.as('owner');
  const ref = await simulate(app, behaviour);
  const { envelopeId, components } = await reservedTrip(owner, [external(ref)]);
  const { bookingId } = (await book(owner, envelopeId)).body.data;
  await callProviders(app);
  let [attention] = await attentionsOf(owner, envelopeId);
  // A background job may have taken the order, and not be done yet.
  for (let attempt = 0; attempt < 100 && !attention; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await callProviders(app);
    [attention] = await attentionsOf(owner, envelopeId);
  }
  const componentId = components[0]?.componentId ?? '';
  return {
    ...{ envelopeId, ref, bookingId: bookingId ?? '', componentId, attentionId: attention?.attentionId ?? '' },
    component: `${TRIPS}/${envelopeId}/components/${componentId}`,
    resolution: `${TRIPS}/${envelopeId}/attentions/${attention?.attentionId}/resolution`,
  };
}

/** A trip whose reservation began two minutes ago and does not end. */
export async function reservingTrip(app: TestApp): Promise<string> {
  const { envelopeId } = await makeTrip(app.as('owner'), [MANUAL]);
  await price(app.as('owner'), envelopeId);
  await app.sql(
    `update trip_envelopes set status = 'reserve_in_progress', lease_expires_at = $2::timestamptz + interval '1 hour',
       reserving_since = $2::timestamptz - interval '2 minutes' where id = $1`,
    [envelopeId, app.now()],
  );
  return envelopeId;
}
