import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { CHECK, recordDatabaseErrors } from '../setup/recorded-errors.js';
import {
  book,
  cancel,
  makeDeparture,
  makeTrip,
  MANUAL,
  price,
  problem,
  readDeparture,
  readTrip,
  reserve,
  reservedTrip,
  seats,
  TRIPS,
} from './trips.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('POST /v1/admin/trips/{envelopeId}/reserve', () => {
  it('the reservation of a draft prices it first and then reserves every component', async () => {
    const departure = await makeDeparture(owner);
    const { envelopeId } = await makeTrip(owner, [seats(departure.id, { quantity: 2 }), MANUAL]);
    const { status, body } = await reserve(owner, envelopeId);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      envelopeId,
      status: 'reserved',
      currency: 'EUR',
      totalCents: 21_800,
      taxCents: 3_481,
      subtotalCents: 18_319,
      attention: false,
      components: [
        { status: 'held', totalCents: 11_800, serviceDate: '2027-05-12' },
        { status: 'held', totalCents: 10_000 },
      ],
      reservation: { status: 'held', attempt: 1, steps: [{ status: 'held' }, { status: 'held' }] },
    });
    expect(await readDeparture(owner, departure.id)).toMatchObject({ held: 2, sold: 0, available: 8 });
    expect(await readTrip(owner, envelopeId)).toEqual(body.data);
  });

  it('a reserved trip with live holds stays unchanged', async () => {
    const departure = await makeDeparture(owner);
    const reserved = await reservedTrip(owner, [seats(departure.id)]);
    const again = await reserve(owner, reserved.envelopeId);
    expect(again.status).toBe(200);
    expect(again.body.data).toEqual(reserved);
    expect(await readDeparture(owner, departure.id)).toMatchObject({ held: 1 });
  });

  it('a reserved trip is booked with an item for each component', async () => {
    const departure = await makeDeparture(owner);
    const reserved = await reservedTrip(owner, [seats(departure.id, { quantity: 3 }), MANUAL]);
    const { status, body } = await book(owner, reserved.envelopeId);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'booked', holdExpiresAt: null, reservation: { status: 'booked' } });
    const booking = await owner.get(`/v1/admin/bookings/${body.data.bookingId}`);
    expect(booking.body).toMatchObject({
      data: { status: 'confirmed', customerName: 'Ada Lovelace', customerEmail: 'ada@example.com', totalCents: 27_700 },
    });
    expect(await readDeparture(owner, departure.id)).toMatchObject({ held: 0, sold: 3 });
    const items = `/v1/admin/bookings/${body.data.bookingId}/items`;
    const [seat] = (await owner.get<{ data: { id: string; departureId: string }[] }>(items)).body.data;
    expect(seat).toMatchObject({ id: body.data.components[0]?.['bookingItemId'], departureId: departure.id });
    await owner.post(`${items}/${seat?.id}/cancellation`);
    expect(await readDeparture(owner, departure.id)).toMatchObject({ held: 0, sold: 0, available: 10 });
  });

  it('cancelling a trip releases its units', async () => {
    const departure = await makeDeparture(owner);
    const reserved = await reservedTrip(owner, [seats(departure.id, { quantity: 3 })]);
    const { status, body } = await cancel(owner, reserved.envelopeId, { reason: 'Ill' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      status: 'cancelled',
      cancelReason: 'Ill',
      components: [{ status: 'cancelled' }],
    });
    expect(await readDeparture(owner, departure.id)).toMatchObject({ held: 0, available: 10 });
  });

  it('an unknown and a malformed trip ID are 404', async () => {
    for (const id of ['trip_01k0dem000e000000000009999', 'nonsense']) {
      const answer = await owner.post(`${TRIPS}/${id}/reserve`);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(problem('not_found'));
    }
  });

  it('64 parallel reservations of 10 units give exactly 10 successes and 54 clean 409s', async () => {
    const departure = await makeDeparture(owner);
    const trips = await Promise.all(Array.from({ length: 64 }, () => makeTrip(owner, [seats(departure.id)])));
    for (const { envelopeId } of trips) expect((await price(owner, envelopeId)).status).toBe(200);
    const checks = recordDatabaseErrors(app, CHECK);
    const answers = await Promise.all(trips.map(({ envelopeId }) => reserveWhenServed(envelopeId)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const rejected = answers.filter(({ status }) => status === 409).map(({ text }) => codeOf(text));
    expect(rejected).toHaveLength(54);
    for (const code of rejected) expect(['reservation_failed', 'component_unavailable']).toContain(code);
    expect(await readDeparture(owner, departure.id)).toMatchObject({ held: 10, sold: 0, available: 0 });
    const [held] = await app.sql(
      `select coalesce(sum(c.quantity), 0)::int as units from reservation_steps s join trip_components c on c.id = s.component_id
       where s.status = 'held' and c.departure_id = $1`,
      [departure.id],
    );
    expect(held).toEqual({ units: 10 });
    expect(checks).toEqual([]);
  });
});

describe('a reservation whose units are rejected although they were available at pricing', () => {
  it('a reservation that fails after pricing reserves nothing, and succeeds after the trip was priced again', async () => {
    const [kept, rejected] = [await makeDeparture(owner), await makeDeparture(owner)];
    const { envelopeId, components } = await makeTrip(owner, [seats(rejected.id), seats(kept.id), MANUAL]);
    const [rejectedId, keptId, manualId] = components.map(({ componentId }) => componentId);
    await price(owner, envelopeId);
    await rejectHoldsOf(rejected.id);

    const answer = await reserve(owner, envelopeId);

    expect([answer.status, answer.body]).toEqual([
      409,
      problem('reservation_failed', {
        planId: expect.stringMatching(/^tpln_/),
        failures: [{ componentId: rejectedId, code: 'capacity_exceeded', message: 'Not enough units available' }],
        compensations: expect.arrayContaining([
          { componentId: keptId, status: 'released' },
          { componentId: manualId, status: 'released' },
        ]),
      }),
    ]);
    const failed = await readTrip(owner, envelopeId);
    expect(failed).toMatchObject({
      status: 'failed',
      holdExpiresAt: null,
      reservation: { status: 'failed', attempt: 1 },
    });
    expect(failed.components.map(({ status }) => status)).toEqual(['unavailable', 'priced', 'priced']);
    expect(failed.reservation?.steps.map(({ status, attempts }) => [status, attempts]).sort()).toEqual([
      ['failed', 1],
      ['released', 1],
      ['released', 1],
    ]);
    for (const { id } of [kept, rejected]) expect(await readDeparture(owner, id)).toMatchObject({ held: 0 });
    const events = `select from_status, to_status from trip_component_events where envelope_id = $1 and 'held' in (from_status, to_status)`;
    expect(await app.sql(events, [envelopeId])).toEqual([]);

    await app.sql('drop trigger reject_holds on departures');
    await price(owner, envelopeId);
    expect((await reserve(owner, envelopeId)).body.data).toMatchObject({
      status: 'reserved',
      reservation: { attempt: 2 },
    });
  });

  /** The departure seems available to a quote, as if another transaction reserved its units just after it. */
  async function rejectHoldsOf(departureId: string): Promise<void> {
    await app.sql('create function reject_hold() returns trigger language plpgsql as $$ begin return null; end $$');
    await app.sql(`create trigger reject_holds before update on departures for each row
      when (new.held > old.held and old.id = '${departureId}') execute function reject_hold()`);
  }
});

/** An overloaded service responds with 503, and a client retries. */
async function reserveWhenServed(envelopeId: string): ReturnType<typeof reserve> {
  const answer = await reserve(owner, envelopeId);
  return answer.status === 503 ? reserveWhenServed(envelopeId) : answer;
}

function codeOf(text: string): string {
  return (JSON.parse(text) as { code: string }).code;
}

describe('components', () => {
  it('a component whose whole quantity would cost more than 2^53-1 is rejected', async () => {
    const most = { ...MANUAL, unitPriceCents: Number.MAX_SAFE_INTEGER };
    const trip = await makeTrip(owner, [most]);
    const path = `${TRIPS}/${trip.envelopeId}/components`;
    const { id: departureId } = await makeDeparture(owner, { priceCents: Number.MAX_SAFE_INTEGER, capacity: 1_000 });
    const message = 'Price of the whole quantity would exceed 2^53-1';
    for (const answer of [
      await owner.post(path, { ...most, quantity: 2 }),
      await owner.post(path, seats(departureId, { quantity: 2 })),
      await owner.patch(`${path}/${trip.components[0]?.componentId}`, { quantity: 2 }),
    ]) {
      const issues = [{ path: 'quantity', message, code: 'amount_too_large' }];
      const details = { issues, fields: { quantity: [message] } };
      expect([answer.status, answer.body]).toEqual([400, problem('invalid_request', details)]);
    }
    expect(await readTrip(owner, trip.envelopeId)).toMatchObject({
      components: [{ quantity: 1 }],
      version: trip.version,
    });
  });
});
