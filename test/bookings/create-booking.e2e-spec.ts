import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { demoId } from '../../src/platform/ids/id.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  type Booking,
  bookingBody,
  BOOKINGS,
  entriesAbout,
  eventsOf,
  insisting,
  invalid,
  makeBooking,
  type One,
  problem,
  staffWith,
} from './bookings.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const create = (over: object, headers: Record<string, string> = {}) =>
  owner.post<One<Booking>>(BOOKINGS, bookingBody(over), { headers });

const STEP = { label: 'All', type: 'balance', remainder: true, anchor: 'booking', offsetDays: 0 };

describe('POST /v1/admin/bookings', () => {
  it('a new booking is answered with 201, all its members, Location and ETag', async () => {
    const { status, body, headers } = await create({
      customerName: '  Ada Lovelace ',
      customerEmail: 'ada@example.com',
      startDate: '2027-05-12',
      endDate: '2027-05-16',
      notes: 'Vegetarian',
      channelId: demoId('chan', 2),
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^book_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        number: expect.stringMatching(/^B-\d{4}-\d{6}$/),
        status: 'draft',
        currency: 'EUR',
        totalCents: null,
        customerId: null,
        customerName: 'Ada Lovelace',
        customerEmail: 'ada@example.com',
        customerPhone: null,
        customerLanguage: null,
        customerAddress: null,
        startDate: '2027-05-12',
        endDate: '2027-05-16',
        departureDate: '2027-05-12',
        returnDate: '2027-05-16',
        takenOverOn: null,
        notes: 'Vegetarian',
        paymentPolicy: null,
        channelId: demoId('chan', 2),
        confirmedAt: null,
        cancelledAt: null,
        confirmedOn: null,
        cancelledOn: null,
        recordedOn: null,
        cancelReason: null,
        terms: null,
        tripId: null,
        termsSha256: null,
        warnings: [],
        version: 1,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
    });
    expect(headers['location']).toBe(`${BOOKINGS}/${body.data.id}`);
    expect(headers['etag']).toBe('"1"');
    expect((await owner.get(`${BOOKINGS}/${body.data.id}`)).body).toEqual(body);
  });

  it('an invalid body of a new booking is rejected with 400 and its issues, and nothing is created', async () => {
    const customerName = `Nobody ${randomUUID()}`;
    const { status, body } = await create({ customerName, currency: 'eur' });
    expect([status, body]).toEqual([400, invalid('currency', 'wrong_format')]);
    const found = await owner.get<{ total: number }>(`${BOOKINGS}?search=${encodeURIComponent(customerName)}`);
    expect(found.body.total).toBe(0);
  });

  it('a new booking with an end before the start is rejected', async () => {
    const { status, body } = await create({ startDate: '2027-05-02', endDate: '2027-05-01' });
    expect(status).toBe(400);
    expect(body).toEqual(invalid('endDate', 'end_before_start'));
    expect((await create({ startDate: '2027-05-02', endDate: '2027-05-02' })).status).toBe(201);
  });

  it.each(['confirmed', 'in_progress', 'completed', 'cancelled'])(
    'a new booking with the status %s is rejected with 422',
    async (status) => {
      const answer = await create({ status });
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual(problem('invalid_initial_status', { field: 'status' }));
    },
  );

  it('an id in the body of a new booking is ignored', async () => {
    expect((await makeBooking(owner, { id: demoId('book', 1), status: 'draft' })).id).not.toBe(demoId('book', 1));
  });

  it('creating a booking needs bookings:write', async () => {
    const { status, body } = await (await staffWith(app, 'bookings:read')).post(BOOKINGS, bookingBody());
    expect(status).toBe(403);
    expect(body).toEqual(problem('forbidden', { requiredScope: 'bookings:write' }));
  });

  it('two requests with the same Idempotency-Key create one booking', async () => {
    const key = { 'Idempotency-Key': 'new-booking-1' };
    const [first, again] = [await create({}, key), await create({}, key)];
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await create({ customerName: 'Bob' }, key)).body).toEqual(
      problem('idempotency_key_reused', { field: 'Idempotency-Key' }),
    );
  });

  it('a new booking has a ledger entry without name and address, and an event', async () => {
    const { id, number } = await makeBooking(owner, { customerEmail: 'ada@example.com', notes: 'Vegetarian' });
    const [entry, ...more] = await entriesAbout(owner, id);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ action: 'bookings.booking.create', before: null, after: { id, status: 'draft' } });
    expect(JSON.stringify(entry)).not.toMatch(/Ada|ada@|Vegetarian/);
    const data = { bookingId: id, number, status: 'draft', currency: 'EUR', totalCents: null, version: 1 };
    expect(await eventsOf(app, id, 1)).toMatchObject([{ event: 'booking.created', data }]);
  });
});

describe('the number of a booking', () => {
  it('booking numbers are counted per year of the organization, and 40 concurrent bookings have 40 numbers', async () => {
    const made = await Promise.all(Array.from({ length: 40 }, () => insisting(() => create({}))));
    const year = app.day().slice(0, 4);
    expect(new Set(made.map(({ body }) => body.data.number)).size).toBe(40);
    for (const { body } of made) expect(body.data.number).toMatch(new RegExp(`^B-${year}-\\d{6}$`));
  });

  it('a given booking number is unique: nine of ten concurrent requests are 409 booking_number_taken', async () => {
    const number = `OWN-${app.now().getTime()}`;
    const answers = await Promise.all(Array.from({ length: 10 }, () => insisting(() => create({ number }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
    const rejected = answers.find(({ status }) => status === 409);
    expect(rejected?.body).toEqual(problem('booking_number_taken', { number }));
  });

  it('the booking number sequence skips numbers that were given explicitly', async () => {
    const { number } = await makeBooking(owner);
    const next = (steps: number) => number.replace(/\d{6}$/, (n) => String(Number(n) + steps).padStart(6, '0'));
    for (const steps of [1, 2]) await makeBooking(owner, { number: next(steps) });
    expect((await makeBooking(owner)).number).toBe(next(3));
  });
});

describe('the channel of a booking', () => {
  it.each(['chan_01k0dem000e000000000009999', 'x', demoId('book', 1)])(
    'the channel %s of a booking is 404 with its field',
    async (channelId) => {
      const { status, body } = await create({ channelId });
      expect(status).toBe(404);
      expect(body).toEqual(problem('not_found', { field: 'channelId' }));
    },
  );

  it('a booking cannot be created for an archived channel: 409 channel_archived', async () => {
    const channels = '/v1/admin/distribution/channels';
    const name = `Archived ${app.now().getTime()}`;
    const { body: channel } = await owner.post<One<{ id: string }>>(channels, { name });
    await owner.patch(`${channels}/${channel.data.id}`, { status: 'archived' });
    const { status, body } = await create({ channelId: channel.data.id });
    expect(status).toBe(409);
    expect(body).toEqual(problem('channel_archived', { field: 'channelId' }));
  });
});

describe('the payment policy of a booking', () => {
  it('the payment policy of a booking is stored with its defaults', async () => {
    const deposit = { label: 'Deposit', type: 'deposit', percentBasisPoints: 3000, anchor: 'booking', offsetDays: 0 };
    const { body } = await create({ paymentPolicy: { steps: [deposit, STEP], minimumDays: 45 } });
    expect(body.data['paymentPolicy']).toEqual({
      steps: [
        { ...deposit, fixedCents: null, remainder: false },
        { ...STEP, percentBasisPoints: null, fixedCents: null },
      ],
      minimumDays: 45,
      floorDays: 0,
      noDateDays: null,
      roundToCents: null,
    });
  });

  it.each([
    [[STEP, STEP], { percentBasisPoints: 0, remainders: 2 }],
    [[{ ...STEP, remainder: false, fixedCents: 5 }], { percentBasisPoints: 0, remainders: 0 }],
    [
      [6000, 4001]
        .map((percentBasisPoints) => ({ ...STEP, remainder: false, percentBasisPoints }))
        .concat([STEP as never]),
      { percentBasisPoints: 10_001, remainders: 1 },
    ],
  ])('the payment policy %j of a booking is 422 invalid_payment_policy', async (steps, details) => {
    const { status, body } = await create({ paymentPolicy: { steps } });
    expect(status).toBe(422);
    expect(body).toEqual(problem('invalid_payment_policy', { field: 'paymentPolicy.steps', ...details }));
  });

  it('a step of a payment policy specifies its amount in exactly one way', async () => {
    const { status, body } = await create({ paymentPolicy: { steps: [{ ...STEP, fixedCents: 1 }] } });
    expect(status).toBe(400);
    expect(body).toEqual(invalid('paymentPolicy.steps.0', 'one_amount'));
  });
});
