import { beforeAll, describe, expect, it } from '@jest/globals';
import { reversed } from '../action-ledger/reversals.js';
import { allotted } from '../distribution/allotments/allotments.js';
import { DEPARTURES, type Departure, newDeparture, read } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { book, price, readTrip, reserve, reservedTrip, makeTrip, seats } from '../trips/trips.js';
import {
  addItem,
  BOOKINGS,
  confirmedBooking,
  entriesAbout,
  insisting,
  invalid,
  type Item,
  itemBody,
  makeBooking,
  problem,
  staffWith,
} from './bookings.js';

const HOUR_MS = 3_600_000;

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

/** Creates a departure that starts this many hours from now and takes six. */
const startingIn = (hours: number, terms: object = {}): Promise<Departure> => {
  const starts = app.now().getTime() + hours * HOUR_MS;
  const times = { startsAt: new Date(starts).toISOString(), endsAt: new Date(starts + 6 * HOUR_MS).toISOString() };
  return newDeparture(app, { ...times, ...terms });
};
const cutOff = (terms: object = {}) => startingIn(5, { cutoff: { minutesBefore: 360 }, ...terms });
const decide = (id: string, what: string) => owner.post<{ data: Departure }>(`${DEPARTURES}/${id}/${what}`);
async function closed(terms: object = {}): Promise<Departure> {
  const { id } = await startingIn(48, terms);
  return (await decide(id, 'sales-closing')).body.data;
}
const add = (bookingId: string, over: object, client = owner) =>
  client.post<{ data: Item }>(`${BOOKINGS}/${bookingId}/items`, itemBody(over));
const change = ({ bookingId, id }: Item, body: object) => owner.patch(`${BOOKINGS}/${bookingId}/items/${id}`, body);

const ended = (salesState: string, cutoffAt: string | null = null) => problem('sales_closed', { salesState, cutoffAt });
const departed = ({ id }: Departure) => problem('departure_departed', { departureIds: [id] });
const OVERRIDE = { override: ['cutoff', 'past'], overrideReason: 'Paid in cash at the pier' };

describe('a sale after the end of sales', () => {
  it('a closed, cut-off or started departure sells no units: 409 with the reason, and nothing is sold', async () => {
    const booking = await makeBooking(owner);
    const [late, byHand, gone, over] = [await cutOff(), await closed(), await startingIn(-1), await startingIn(-7)];
    const expected: [Departure, object][] = [
      [late, ended('cut_off', late.cutoffAt)],
      [byHand, ended('closed')],
      [gone, departed(gone)],
      [over, departed(over)],
    ];
    for (const [departure, error] of expected) {
      const answer = await add(booking.id, { departureId: departure.id });
      expect([answer.status, answer.body]).toEqual([409, error]);
      expect((await read(app, departure.id)).sold).toBe(0);
    }
  });

  it('units guaranteed to a channel are not sold after the closing either', async () => {
    const { allotment, departure } = await allotted(app, { capacity: 15, units: 10 });
    const { id } = await makeBooking(owner, { channelId: allotment.channelId });
    await decide(departure.id, 'sales-closing');

    const answer = await add(id, { departureId: departure.id, allotmentId: allotment.id });

    expect([answer.status, answer.body]).toEqual([409, ended('closed')]);
    expect(await read(app, departure.id)).toMatchObject({ sold: 0, guaranteedOpen: 10 });
  });

  it('after the end of sales a sold item can shrink and be cancelled, but not grow or move there', async () => {
    const departure = await startingIn(48);
    const { booking, item } = await confirmedBooking(owner, { item: { departureId: departure.id, quantity: 4 } });
    const other = await addItem(owner, booking.id, { departureId: (await startingIn(48)).id });
    await decide(departure.id, 'sales-closing');

    const more = await change(item, { quantity: 5 });
    const moved = await change(other, { departureId: departure.id });
    const same = await change(item, { title: 'Window seat' });
    const less = await change(item, { quantity: 3 });

    for (const answer of [more, moved]) {
      expect([answer.status, answer.body]).toEqual([409, ended('closed')]);
    }
    expect([same.status, less.status, (await read(app, departure.id)).sold]).toEqual([200, 200, 3]);
    const cancelled = await owner.post(`${BOOKINGS}/${booking.id}/items/${item.id}/cancellation`);
    expect([cancelled.status, (await read(app, departure.id)).sold]).toEqual([200, 0]);
  });

  it('a cancellation after the end of sales is reversible until the start', async () => {
    const departure = await startingIn(48);
    const { booking, item } = await confirmedBooking(owner, { item: { departureId: departure.id } });
    const extra = await addItem(owner, booking.id, { departureId: departure.id });
    await decide(departure.id, 'sales-closing');
    await owner.post(`${BOOKINGS}/${booking.id}/items/${extra.id}/cancellation`);
    const back = await owner.post(`${BOOKINGS}/${booking.id}/items/${extra.id}/reinstatement`, { reason: 'Mistake' });
    await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'Mistake' });
    const whole = await owner.post(`${BOOKINGS}/${booking.id}/reinstatement`, { reason: 'Mistake' });
    expect([back.status, whole.status, (await read(app, departure.id)).sold]).toEqual([200, 200, 2]);

    await owner.post(`${BOOKINGS}/${booking.id}/items/${item.id}/cancellation`);
    await app.sql(`update departures set starts_at = $2 where id = $1`, [departure.id, app.now()]);
    const late = await owner.post(`${BOOKINGS}/${booking.id}/items/${item.id}/reinstatement`, { reason: 'Mistake' });
    expect([late.status, late.body]).toEqual([409, departed(departure)]);
  });
});

describe('an override of the end of sales', () => {
  it('staff with bookings:override sell after the cut-off and after the start, and the ledger has the reason', async () => {
    const booking = await makeBooking(owner);
    const clerk = await staffWith(app, 'bookings:read', 'bookings:write', 'bookings:override');
    for (const { id } of [await cutOff(), await startingIn(-1), await startingIn(-7)]) {
      const { status, body } = await add(booking.id, { departureId: id, ...OVERRIDE }, clerk);
      expect([status, (await read(app, id)).sold]).toEqual([201, 1]);
      const more = await change(body.data, { quantity: 3, ...OVERRIDE, overrideReason: 'Two more came' });
      expect([more.status, (await read(app, id)).sold]).toEqual([200, 3]);
      const reasons = (await entriesAbout(owner, body.data.id)).map(({ reason }) => reason);
      expect(reasons).toEqual([OVERRIDE.overrideReason, 'Two more came']);
    }
  });

  it('each override permits only what it names, and none sells what staff closed or more than the capacity', async () => {
    const booking = await makeBooking(owner);
    const [late, gone, byHand] = [await cutOff({ capacity: 2 }), await startingIn(-1), await closed()];
    const sold = async (departure: Departure, over: object) =>
      add(booking.id, { departureId: departure.id, ...OVERRIDE, ...over });
    const past = await sold(late, { override: ['past'] });
    const cutoff = await sold(gone, { override: ['cutoff'] });
    const manual = await sold(byHand, {});
    const many = await sold(late, { quantity: 3 });

    expect([past.status, past.body]).toEqual([409, ended('cut_off', late.cutoffAt)]);
    expect([cutoff.status, cutoff.body]).toEqual([409, departed(gone)]);
    expect([manual.status, manual.body]).toEqual([409, ended('closed')]);
    expect([many.status, many.body]).toMatchObject([409, { code: 'capacity_exceeded', details: { available: 2 } }]);
  });

  it('an override without bookings:override is 403, without a reason 400', async () => {
    const booking = await makeBooking(owner);
    const { id: departureId } = await cutOff();
    const item = await addItem(owner, booking.id);
    const clerk = await staffWith(app, 'bookings:*');

    const forbidden = [
      await add(booking.id, { departureId, ...OVERRIDE }, clerk),
      await clerk.patch(`${BOOKINGS}/${booking.id}/items/${item.id}`, { departureId, ...OVERRIDE }),
    ];
    const silent = await add(booking.id, { departureId, override: ['cutoff'] });

    for (const { status, body } of forbidden) {
      expect([status, body]).toMatchObject([403, { details: { requiredScope: 'bookings:override' } }]);
    }
    expect([silent.status, silent.body]).toEqual([400, invalid('overrideReason', 'override_reason_missing')]);
  });
});

describe('a trip after the end of sales', () => {
  it('a trip that was reserved before the closing can be booked after it; others find the departure unavailable', async () => {
    const departure = await startingIn(48);
    const held = await reservedTrip(owner, [seats(departure.id)]);
    const priced = await makeTrip(owner, [seats(departure.id)]);
    const late = await makeTrip(owner, [seats(departure.id)]);
    expect((await price(owner, priced.envelopeId)).status).toBe(200);
    await decide(departure.id, 'sales-closing');

    const rejected = await reserve(owner, priced.envelopeId);
    const unpriced = await price(owner, late.envelopeId);
    const booked = await book(owner, held.envelopeId);

    expect([booked.status, (await readTrip(owner, held.envelopeId)).status]).toEqual([200, 'booked']);
    expect(rejected.status).toBe(409);
    expect(JSON.stringify(rejected.body)).toMatch(/sales_closed|Sales of the departure have ended/);
    expect([unpriced.status, unpriced.body]).toMatchObject([409, { code: 'component_unavailable' }]);
    expect(await read(app, departure.id)).toMatchObject({ held: 0 });
  });
});

describe('the closing and opening of sales', () => {
  it('sales are closed and opened again by staff, and the ledger has the reasons', async () => {
    const { id } = await startingIn(48);
    const body = { reason: 'Two guides are ill' };
    const shut = await owner.post<{ data: Departure }>(`${DEPARTURES}/${id}/sales-closing`, body);
    expect([shut.status, shut.body.data]).toMatchObject([200, { salesState: 'closed', version: 2 }]);
    const again = await decide(id, 'sales-closing');
    const details = { from: 'closed', to: 'closed', allowed: ['open'] };
    expect([again.status, again.body]).toMatchObject([409, { code: 'invalid_transition', details }]);

    const open = await decide(id, 'sales-opening');
    expect([open.status, open.body.data]).toMatchObject([200, { salesState: 'open', salesClosedAt: null }]);
    const twice = await decide(id, 'sales-opening');
    expect([twice.status, twice.body]).toMatchObject([409, { code: 'invalid_transition' }]);
    expect((await add((await makeBooking(owner)).id, { departureId: id })).status).toBe(201);
    const entries = (await entriesAbout(owner, id)).map(({ action, reason }) => [action, reason]);
    expect(entries.slice(1)).toEqual([
      ['operations.departure.close_sales', body.reason],
      ['operations.departure.open_sales', null],
    ]);
  });

  it('the closing of sales can be reversed in the ledger', async () => {
    const { id } = await closed();
    expect((await reversed(app, id, 'operations.departure.close_sales')).outcome).toBe('full');
    expect(await read(app, id)).toMatchObject({ salesState: 'open', salesClosedAt: null });
  });

  it('no decision is made about a cancelled departure: 409 departure_cancelled', async () => {
    const { id } = await startingIn(48, { minParticipants: 2 });
    await decide(id, 'cancellation');
    for (const what of ['sales-closing', 'sales-opening', 'guarantee']) {
      const { status, body } = await decide(id, what);
      expect([what, status, body]).toMatchObject([what, 409, { code: 'departure_cancelled' }]);
    }
  });

  it('no unit is sold after the response to a closing, however many sell at the same time', async () => {
    const departure = await startingIn(48, { capacity: 1_000 });
    const bookings: string[] = [];
    while (bookings.length < 8) bookings.push((await makeBooking(owner)).id);
    let isClosed = false;
    const sales: { status: number; beganAfterClosing: boolean; code: unknown }[] = [];
    const sellers = bookings.map(async (id) => {
      for (let after = 0; after < 2;) {
        const beganAfterClosing = isClosed;
        const { status, body } = await insisting(() => add(id, { departureId: departure.id }));
        sales.push({ status, beganAfterClosing, code: (body as { code?: unknown }).code });
        if (beganAfterClosing) after += 1;
      }
    });
    while (sales.length < 8) await new Promise((resolve) => setTimeout(resolve, 5));
    const closing = await insisting(() => decide(departure.id, 'sales-closing'));
    const { sold } = await read(app, departure.id);
    isClosed = true;
    await Promise.all(sellers);

    expect(closing.status).toBe(200);
    const late = sales.filter(({ beganAfterClosing }) => beganAfterClosing);
    expect(late.length).toBeGreaterThanOrEqual(16);
    for (const sale of late) expect(sale).toMatchObject({ status: 409, code: 'sales_closed' });
    const done = sales.filter(({ status }) => status === 201);
    expect([closing.body.data.sold, sold, (await read(app, departure.id)).sold]).toEqual(Array(3).fill(done.length));
  });
});

describe('a departure with sales that is moved into the past', () => {
  it('a departure with sold or held units is not moved into the past: 409 departure_in_past; one without is', async () => {
    const departure = await startingIn(48);
    const item = await addItem(owner, (await makeBooking(owner)).id, { departureId: departure.id });
    const startsAt = new Date(app.now().getTime() - HOUR_MS).toISOString();
    const move = () => owner.patch(`${DEPARTURES}/${departure.id}`, { startsAt });

    const answer = await move();
    expect([answer.status, answer.body]).toEqual([409, problem('departure_in_past', { sold: 1, held: 0 })]);
    await owner.post(`${BOOKINGS}/${item.bookingId}/items/${item.id}/cancellation`);
    expect((await move()).status).toBe(200);
  });

  it('the times of a departure that has started can be corrected', async () => {
    const departure = await startingIn(-2);
    await add((await makeBooking(owner)).id, { departureId: departure.id, ...OVERRIDE });
    const startsAt = new Date(app.now().getTime() - HOUR_MS).toISOString();
    expect((await owner.patch(`${DEPARTURES}/${departure.id}`, { startsAt })).status).toBe(200);
  });
});
