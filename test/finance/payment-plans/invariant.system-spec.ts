import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import type { Answer } from '../../setup/http.js';
import { book, change, deviation, planPath, repriced, schedulesOf, schedulesPath, THIRDS } from './plans.js';

const FINANCE = '/v1/admin/finance';
/** The error codes that an operation may answer besides success: a rule requires each of them. */
const REJECTIONS = [404, 409, 422];

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

/** Changes the booking; null if there is nothing to change. */
type Operation = (bookingId: string) => Promise<Answer<unknown> | null>;

const nth = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

const edit = fc
  .record({
    which: fc.nat(9),
    query: fc.constantFrom('', '?rebalance=none'),
    body: fc.oneof(
      fc.record({ amountCents: fc.integer({ min: 1, max: 120_000 }) }),
      fc.record({ days: fc.integer({ min: -30, max: 30 }) }),
      fc.record({ status: fc.constantFrom('cancelled', 'cancelled', 'pending', 'paid') }),
      fc.record({ amountCents: fc.integer({ min: 1, max: 120_000 }), status: fc.constantFrom('cancelled', 'paid') }),
    ),
  })
  .map(({ which, query, body }): Operation => async (bookingId) => {
    const schedule = nth(await schedulesOf(owner, bookingId), which);
    const sent = 'days' in body ? { dueDate: app.day(body.days) } : body;
    return schedule ? change(owner, schedule, [sent, query]) : null;
  });

const addition = fc.integer({ min: 1, max: 60_000 }).map((amountCents): Operation => (bookingId) => {
  return owner.post(schedulesPath(bookingId), { label: 'More', dueDate: app.day(), amountCents });
});

const payment = fc.integer({ min: 1, max: 70_000 }).map((amountCents): Operation => (bookingId) => {
  const money = { method: 'card', currency: 'EUR', amountCents, paidOn: app.day() };
  return owner.post(`${FINANCE}/payments`, { bookingId, ...money });
});

const reversal = fc.nat(9).map((which): Operation => async (bookingId) => {
  const { body } = await owner.get<{ data: { id: string }[] }>(`${FINANCE}/payments?bookingId=${bookingId}`);
  const found = nth(body.data, which);
  return found ? owner.post(`${FINANCE}/payments/${found.id}/reversal`, { reason: 'The bank returned it' }) : null;
});

const price = fc.nat(150_000).map(
  (cents): Operation =>
    (bookingId) =>
      repriced(app, bookingId, cents),
);

const collection = fc.constant<Operation>((bookingId) => owner.post(planPath(bookingId)));

const invoice = fc.nat(9).map((which): Operation => async (bookingId) => {
  const schedule = nth(await schedulesOf(owner, bookingId), which);
  return schedule ? owner.post(`${FINANCE}/invoices`, { bookingId, scheduleId: schedule.id }) : null;
});

const operations = fc.array(fc.oneof(edit, edit, edit, addition, payment, reversal, price, collection, invoice), {
  minLength: 1,
  maxLength: 18,
});

/** `conflict` would mean that a constraint rejected a change that a rule should have rejected. */
function expectForeseen({ status, body }: Answer<unknown>): void {
  if (status < 300) return;
  expect(REJECTIONS).toContain(status);
  expect(body).not.toMatchObject({ code: 'conflict' });
}

/** Installments whose paid amount differs from their active allocations. */
async function straying(bookingId: string): Promise<unknown[]> {
  return app.sql(
    `select s.id from payment_schedules s where s.booking_id = $1 and s.paid_cents <> (
       select coalesce(sum(a.amount_cents) filter (where a.reverses_id is null), 0)
         - coalesce(sum(a.amount_cents) filter (where a.reverses_id is not null), 0)
       from payment_allocations a where a.schedule_id = s.id)`,
    [bookingId],
  );
}

describe('random edits, cancellations, payments, invoices and price changes', () => {
  it('random edits, cancellations, payments, invoices and price changes never violate the plan invariant', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const bookingId = await book(owner, { paymentPolicy: THIRDS });
        expect((await owner.post(planPath(bookingId))).status).toBe(200);
        for (const operate of list) {
          const answer = await operate(bookingId);
          if (answer) expectForeseen(answer);
          expect([await deviation(app, bookingId), await straying(bookingId)]).toEqual([0, []]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('concurrent edits, cancellations, payments, invoices and price changes never violate the plan invariant', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const bookingId = await book(owner, { paymentPolicy: THIRDS });
        expect((await owner.post(planPath(bookingId))).status).toBe(200);
        const answers = await Promise.all(list.map((operate) => operate(bookingId)));
        for (const answer of answers) if (answer && answer.status !== 503) expectForeseen(answer);
        expect([await deviation(app, bookingId), await straying(bookingId)]).toEqual([0, []]);
      }),
      { numRuns: 10 },
    );
  });
});
