import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  attentionsOf,
  behave,
  bookedTrip,
  callProviders,
  external,
  makeDeparture,
  MANUAL,
  ordersOf,
  readTrip,
  seats,
  simulate,
  TRIPS,
  unconfirmedTrip,
  untilGivenUp,
} from './trips.js';

const BOOKINGS = '/v1/admin/bookings';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false', PROVIDER_CALL_MS: '200' } });
  owner = app.as('owner');
});

const itemsOf = async (bookingId: string | null) =>
  (await owner.get<{ data: Record<string, unknown>[] }>(`${BOOKINGS}/${bookingId}/items`)).body.data;
const cancelBooking = (id: string | null) => owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
const cancelItem = (bookingId: string | null, itemId: unknown) =>
  owner.post(`${BOOKINGS}/${bookingId}/items/${String(itemId)}/cancellation`);

describe('a replacement', () => {
  it('another external component is held and confirmed, keeps the item, and the difference is an item', async () => {
    const { envelopeId, bookingId, component, componentId } = await unconfirmedTrip(app);
    const ref = await simulate(app, { priceCents: 15_000, taxIncludedCents: 500 });
    const replaced = await owner.post<{ data: Record<string, unknown> }>(`${component}/replacements`, external(ref));
    expect([replaced.status, replaced.body.data]).toMatchObject([201, { status: 'booked', totalCents: 15_000 }]);
    expect(await readTrip(owner, envelopeId)).toMatchObject({
      ...{ status: 'booked', attention: false },
      components: [{ componentId, status: 'cancelled', bookingItemId: null }, { status: 'booked' }],
    });
    await callProviders(app);
    expect(await ordersOf(app, ref)).toEqual([{ state: 'confirmed', holds: 1 }]);
    expect(await itemsOf(bookingId)).toMatchObject([
      { id: replaced.body.data['bookingItemId'], totalSellCents: 12_000, supplierStatus: 'confirmed' },
      { type: 'adjustment', totalSellCents: 3_000, taxIncludedCents: 500 },
    ]);
    expect(await attentionsOf(owner, envelopeId)).toMatchObject([{ resolution: 'replaced' }]);
    expect((await owner.post(`${component}/replacements`, external(ref))).body).toMatchObject({
      code: 'invalid_transition',
    });
  });

  it('staff can arrange the replacement themselves, also a cheaper one', async () => {
    const { bookingId, component } = await unconfirmedTrip(app);
    expect((await owner.post(`${component}/replacements`, { ...MANUAL, unitPriceCents: 10_000 })).status).toBe(201);
    expect(await itemsOf(bookingId)).toMatchObject([
      { supplierStatus: 'none' },
      { type: 'adjustment', totalSellCents: -2_000 },
    ]);
  });

  it('an order that may exist is cancelled when it is replaced', async () => {
    const { component, ref } = await unconfirmedTrip(app, { confirm: 'lose_answer' });
    await behave(app, ref, { failsLookup: true });
    await untilGivenUp(app);
    expect(await ordersOf(app, ref)).toEqual([{ state: 'confirmed', holds: 1 }]);
    expect((await owner.post(`${component}/replacements`, MANUAL)).status).toBe(201);
    await callProviders(app);
    expect(await ordersOf(app, ref)).toEqual([{ state: 'cancelled', holds: 1 }]);
  });

  it('a replacement that the provider rejects or does not report changes nothing else', async () => {
    const { envelopeId, component } = await unconfirmedTrip(app);
    const rejecting = await simulate(app, { hold: 'refuse' });
    const rejected = await owner.post(`${component}/replacements`, external(rejecting));
    expect(rejected.body).toMatchObject({ code: 'reservation_failed', details: { failures: [{ code: 'sold_out' }] } });
    const gone = await owner.post(`${component}/replacements`, external(await simulate(app, { sells: false })));
    expect(gone.body).toMatchObject({ code: 'component_unavailable' });
    const silent = await simulate(app, { hold: 'lose_answer', failsLookup: true });
    const unknown = await owner.post(`${component}/replacements`, external(silent));
    expect(unknown.body).toMatchObject({ details: { failures: [{ code: 'outcome_unknown' }] } });
    expect(await attentionsOf(owner, envelopeId)).toMatchObject([
      { code: 'provider_outcome_unknown' },
      { code: 'confirmation_refused', resolution: null },
    ]);
    await behave(app, silent);
    app.travel({ hours: 1 });
    await callProviders(app);
    expect(await ordersOf(app, silent)).toEqual([{ state: 'released', holds: 1 }]);
    expect((await readTrip(owner, envelopeId)).components).toMatchObject([{ status: 'booked' }]);
  });

  it('of four replacements at the same time only one is requested from a provider', async () => {
    const { envelopeId, component } = await unconfirmedTrip(app);
    const ref = await simulate(app, { delayMs: 60 });
    const replace = () => owner.post<{ code: string }>(`${component}/replacements`, external(ref));
    const answers = await Promise.all([1, 2, 3, 4].map(replace));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const rejected = answers.filter(({ status }) => status === 409).map(({ body }) => body);
    // One that arrives after the first has been booked finds a component that is replaced already.
    const codes = ['reservation_in_progress', 'invalid_transition'];
    for (const body of rejected) expect(codes).toContain((body as { code: string }).code);
    expect(await ordersOf(app, ref)).toHaveLength(1);
    expect((await readTrip(owner, envelopeId)).components).toHaveLength(2);
    expect(await attentionsOf(owner, envelopeId)).toMatchObject([{ resolution: 'replaced' }]);
  });

  it('a held replacement that the booking rejects is released at once, and the order stays unconfirmed', async () => {
    const { envelopeId, bookingId, component } = await unconfirmedTrip(app);
    const discount = { type: 'adjustment', title: 'Voucher', unitSellCents: -11_500 };
    expect((await owner.post(`${BOOKINGS}/${bookingId}/items`, discount)).status).toBe(201);
    const ref = await simulate(app, { priceCents: 10 });
    const { status, body } = await owner.post(`${component}/replacements`, external(ref));
    expect([status, body]).toMatchObject([422, { code: 'negative_total' }]);
    await callProviders(app);
    expect(await ordersOf(app, ref)).toEqual([{ state: 'released', holds: 1 }]);
    expect(await attentionsOf(owner, envelopeId)).toMatchObject([{ code: 'confirmation_refused', resolution: null }]);
    expect((await readTrip(owner, envelopeId)).components).toMatchObject([{ status: 'booked' }]);
  });

  it('two replacements at the same time book one', async () => {
    const { envelopeId, component } = await unconfirmedTrip(app);
    const refs = [await simulate(app), await simulate(app)];
    const answers = await Promise.all(refs.map((ref) => owner.post(`${component}/replacements`, external(ref))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    app.travel({ hours: 1 });
    await callProviders(app);
    const states = (await Promise.all(refs.map((ref) => ordersOf(app, ref)))).flat().map(({ state }) => state);
    expect(states.filter((state) => state === 'confirmed')).toHaveLength(1);
    expect(states.filter((state) => state === 'held')).toEqual([]);
    const { components } = await readTrip(owner, envelopeId);
    expect(components.filter(({ status }) => status === 'booked')).toHaveLength(1);
  });
});

describe('a reinstated item of a trip', () => {
  const reinstate = async (path: string) => {
    expect((await owner.post(`${BOOKINGS}/${path}/reinstatement`, { reason: 'Cancelled by mistake' })).status).toBe(
      200,
    );
  };
  const ended = { code: 'order_not_reinstated', resolution: null };

  it('the order of a reinstated booking has ended at the provider, which staff see until it is cancelled again', async () => {
    const { id } = await makeDeparture(owner);
    const { envelopeId, bookingId } = await bookedTrip(app, [seats(id), external(await simulate(app))]);
    await callProviders(app);
    await cancelBooking(bookingId);
    await callProviders(app);
    await reinstate(bookingId ?? '');
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'cancelled', attention: true });
    expect(await attentionsOf(owner, envelopeId)).toMatchObject([ended]);
    await cancelBooking(bookingId);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ attention: false });
    expect(await attentionsOf(owner, envelopeId)).toMatchObject([{ ...ended, resolution: 'settled' }]);
  });

  it('only the external component of a reinstated item needs attention, which staff can resolve', async () => {
    const { envelopeId, bookingId } = await bookedTrip(app, [MANUAL, external(await simulate(app))]);
    await callProviders(app);
    for (const { id } of await itemsOf(bookingId)) {
      await cancelItem(bookingId, id);
      await callProviders(app);
      await reinstate(`${bookingId}/items/${String(id)}`);
    }
    const [attention, ...others] = await attentionsOf(owner, envelopeId);
    expect([attention, others]).toMatchObject([ended, []]);
    const path = `${TRIPS}/${envelopeId}/attentions/${attention?.attentionId}/resolution`;
    expect((await owner.post(path, { resolution: 'replaced', note: 'Booked by phone' })).status).toBe(200);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ attention: false });
  });
});
