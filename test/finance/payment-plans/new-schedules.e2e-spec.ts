/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem, staffWith } from '../invoices.js';
import {
  book,
  cancelBooking,
  days,
  deviation,
  type Envelope,
  entriesOf,
  eventsOf,
  outline,
  pay,
  planned,
  schedulesOf,
  schedulesPath,
} from './plans.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const body = (over: object = {}) => ({ label: 'Extra', dueDate: '2027-02-01', amountCents: 25_000, ...over });
const add = (bookingId: string, over: object = {}, query = '') =>
  owner.post<Envelope>(`${schedulesPath(bookingId)}${query}`, body(over));

describe('an installment that is added', () => {
  it('a new installment takes its amount from the last open installment', async () => {
    const [bookingId] = await planned(owner);
    const { status, body: answer, headers } = await add(bookingId, { notes: 'On request' });
    expect(status).toBe(201);
    expect(answer.data).toEqual({
      id: expect.stringMatching(/^psch_/),
      bookingId,
      label: 'Extra',
      dueDate: '2027-02-01',
      dateSource: 'manual',
      amountCents: 25_000,
      currency: 'EUR',
      status: 'pending',
      type: 'installment',
      paidCents: 0,
      outstandingCents: 25_000,
      waived: false,
      warnings: [],
      waiveReason: null,
      notes: 'On request',
      position: 4,
      planVersion: 1,
      basis: 'manual',
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(headers['location']).toBe(`${schedulesPath(bookingId)}/${answer.data.id}`);
    expect(headers['etag']).toBe('"1"');
    expect((await owner.get(headers['location'] ?? '')).body).toEqual(answer);
    expect(await outline(owner, bookingId)).toEqual([
      '30000 pending',
      '30000 pending',
      '15000 pending',
      '25000 pending',
    ]);
    expect(await deviation(app, bookingId)).toBe(0);
  });

  it('a new installment continues with the preceding installment if the last one is not enough', async () => {
    const [bookingId] = await planned(owner);
    expect((await add(bookingId, { amountCents: 50_000 })).status).toBe(201);
    expect((await outline(owner, bookingId)).slice(0, 3)).toEqual([
      '30000 pending',
      '20000 pending',
      '40000 cancelled',
    ]);
  });

  it('a new installment above the open amount is 422 plan_total_mismatch, and nothing is stored', async () => {
    const [bookingId, first] = await planned(owner);
    await pay(app, first.id, 30_000);
    const before = await schedulesOf(owner, bookingId);
    const { status, body: answer } = await add(bookingId, { amountCents: 70_001 });
    expect(status).toBe(422);
    expect(answer).toEqual(
      problem('plan_total_mismatch', { field: 'amountCents', expected: 100_000, actual: 100_001, difference: 1 }),
    );
    expect(await schedulesOf(owner, bookingId)).toEqual(before);
  });

  it('a new installment has a ledger entry and an event', async () => {
    const [bookingId] = await planned(owner);
    const { body: answer } = await add(bookingId);
    const entries = await entriesOf(owner, 'payment_schedule', answer.data.id);
    expect(entries).toMatchObject([
      { action: 'finance.payment_schedule.create', before: null, after: { amountCents: 25_000 } },
    ]);
    expect(await eventsOf(app, bookingId, 'payment_schedule.created')).toContain('payment_schedule.updated');
  });

  it('10 concurrent new installments each take their amount, and the plan adds up', async () => {
    const [bookingId] = await planned(owner);
    const answers = await Promise.all(Array.from({ length: 10 }, () => add(bookingId, { amountCents: 15_000 })));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(201));
    const positions = (await schedulesOf(owner, bookingId)).map(({ position }) => position);
    expect(new Set(positions)).toEqual(new Set(Array.from({ length: 13 }, (_, index) => index + 1)));
    expect(await deviation(app, bookingId)).toBe(0);
  });

  it('two requests with the same Idempotency-Key add one installment', async () => {
    const [bookingId] = await planned(owner);
    const call = { headers: { 'Idempotency-Key': `add-to-${bookingId}` } };
    const path = schedulesPath(bookingId);
    const [one, two] = [await owner.post(path, body(), call), await owner.post(path, body(), call)];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(two.body).toEqual(one.body);
    expect(await schedulesOf(owner, bookingId)).toHaveLength(4);
  });
});

describe('the first installment of a booking without a plan', () => {
  it('the first installment of a booking without a plan creates the plan, with a balance over the rest', async () => {
    const bookingId = await book(owner);
    const { body: answer } = await add(bookingId, { type: 'deposit' });
    expect(answer.data).toMatchObject({ type: 'deposit', position: 1 });
    const schedules = await schedulesOf(owner, bookingId);
    expect(schedules).toMatchObject([
      { id: answer.data.id, amountCents: 25_000 },
      { type: 'balance', label: 'Balance', amountCents: 75_000, dueDate: '2027-02-01', position: 2 },
    ]);
    const entries = await entriesOf(owner, 'payment_schedule', answer.data.id);
    expect(entries.map(({ action }) => action)).toEqual(['finance.payment_schedule.create']);
    const events = await eventsOf(app, bookingId, 'payment_schedule.created');
    expect(events.sort()).toEqual(['payment_plan.materialized', 'payment_schedule.created']);
  });

  it('the first installment over the whole total is the only one of its plan', async () => {
    const bookingId = await book(owner);
    await add(bookingId, { amountCents: 100_000 });
    expect(await outline(owner, bookingId)).toEqual(['100000 pending']);
  });

  it('two concurrent first installments create one plan', async () => {
    const bookingId = await book(owner);
    const answers = await Promise.all([add(bookingId), add(bookingId)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect((await outline(owner, bookingId)).sort()).toEqual(['25000 pending', '25000 pending', '50000 pending']);
  });

  it('a first installment above the total is 422 plan_total_mismatch', async () => {
    const bookingId = await book(owner);
    const { status, body: answer } = await add(bookingId, { amountCents: 100_001 });
    expect(status).toBe(422);
    expect(answer).toEqual(
      problem('plan_total_mismatch', { field: 'amountCents', expected: 100_000, actual: 100_001, difference: 1 }),
    );
  });

  it('an installment of a booking without items is 409 booking_not_priced', async () => {
    const { status, body: answer } = await add(await book(owner, { prices: [] }));
    expect(status).toBe(409);
    expect(answer).toEqual(problem('booking_not_priced'));
  });
});

describe('a rejected installment', () => {
  it('a new installment of a cancelled booking is rejected with 409 booking_closed', async () => {
    const [bookingId] = await planned(owner);
    await cancelBooking(owner, bookingId);
    const { status, body: answer } = await add(bookingId);
    expect(status).toBe(409);
    expect(answer).toEqual(problem('booking_closed'));
  });

  it('a new installment that is due after the departure is rejected with 422 unless the query allows it', async () => {
    const departureDate = app.day(60);
    const dueDate = days(departureDate, 1);
    const [bookingId] = await planned(owner, { startDate: departureDate });
    const { status, body: answer } = await add(bookingId, { dueDate });
    expect(status).toBe(422);
    expect(answer).toEqual(problem('due_date_after_departure', { field: 'dueDate', dueDate, departureDate }));
    expect((await add(bookingId, { dueDate }, '?allowAfterDeparture=true')).status).toBe(201);
  });

  it('an invalid body of a new installment is rejected with 400 and its issues, and nothing is added', async () => {
    const [bookingId] = await planned(owner);
    const before = await schedulesOf(owner, bookingId);
    const { status, body: answer } = await add(bookingId, { amountCents: -1 });
    expect([status, answer]).toEqual([400, invalid('amountCents', 'too_small')]);
    expect(await schedulesOf(owner, bookingId)).toEqual(before);
  });

  it('a new installment of an unknown booking is 404, and without finance:write 403', async () => {
    const unknown = await add('book_01k0dem000e000000000009999');
    expect(unknown.status).toBe(404);
    expect(unknown.body).toEqual(problem('not_found'));
    const reader = await staffWith(app, 'finance:read');
    const { status, body: answer } = await reader.post(schedulesPath(await book(owner)), body());
    expect(status).toBe(403);
    expect(answer).toEqual(problem('forbidden', { requiredScope: 'finance:write' }));
  });
});
