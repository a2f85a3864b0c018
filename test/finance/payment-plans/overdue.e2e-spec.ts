import { beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentPlanJobs } from '../../../src/modules/finance/receivables/plans/payment-plans.jobs.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { preview } from './collecting.js';
import { book, change, entriesOf, pay, planned, type Schedule, schedulesOf } from './plans.js';

interface Message {
  event: string;
  data: { scheduleId: string };
}

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const publishOverdue = () => asSystem(() => app.nest.get(PaymentPlanJobs).publishOverdue());

/** The number of ledger entries that report the installment as overdue. */
async function overdueEntries({ id }: Schedule): Promise<number> {
  const entries = await entriesOf(owner, 'payment_schedule', id);
  return entries.filter(({ action }) => action === 'finance.payment_schedule.overdue').length;
}

/** Creates the plan of a confirmed booking; the plan of a draft is a quote, which is never overdue. */
async function confirmed() {
  const made = await planned(owner);
  expect((await owner.post(`/v1/admin/bookings/${made[0]}/confirmation`)).status).toBe(200);
  return made;
}

describe('the job of overdue installments', () => {
  it('the overdue job ignores installments of draft bookings', async () => {
    const [, first] = await planned(owner);
    await change(owner, first, { dueDate: app.day(-1) });
    await publishOverdue();
    expect(await overdueEntries(first)).toBe(0);
  });

  it('the overdue job reports an installment once per due date, however often it runs, also in parallel', async () => {
    const [, first, second] = await confirmed();
    await publishOverdue();
    expect(await overdueEntries(first)).toBe(0);
    await change(owner, first, { dueDate: app.day(-1) });
    await Promise.all(Array.from({ length: 6 }, () => publishOverdue()));
    await publishOverdue();
    expect(await overdueEntries(first)).toBe(1);
    await change(owner, first, { dueDate: app.day(-3) });
    await publishOverdue();
    expect([await overdueEntries(first), await overdueEntries(second)]).toEqual([2, 0]);
    await change(owner, first, { dueDate: app.day(-1) });
    await publishOverdue();
    expect(await overdueEntries(first)).toBe(2);
  });

  it('the overdue job ignores paid and cancelled installments', async () => {
    const [, first, second, third] = await confirmed();
    const dueDate = app.day(-1);
    for (const schedule of [first, second, third]) await change(owner, schedule, { dueDate });
    await pay(app, first.id, 30_000);
    await change(owner, second, { status: 'cancelled' });
    await publishOverdue();
    expect([await overdueEntries(first), await overdueEntries(second), await overdueEntries(third)]).toEqual([0, 0, 1]);
  });

  it('an overdue event contains the amounts, and does not count as a change of the installment', async () => {
    const [bookingId, first] = await confirmed();
    const dueDate = app.day(-1);
    const moved = (await change(owner, first, { dueDate })).body.data;
    await pay(app, first.id, 10_000);
    await publishOverdue();
    const channel = `/realtime/v1/channels/bookings.${bookingId}/messages`;
    const find = async (): Promise<Message | undefined> => {
      const { body } = await app.as('platform').get<Message[]>(channel);
      return body.find(({ event }) => event === 'payment_schedule.overdue');
    };
    let message = await find();
    while (!message) message = await find();
    expect(message.data).toMatchObject({
      scheduleId: first.id,
      bookingId,
      dueDate,
      currency: 'EUR',
      amountCents: 30_000,
      outstandingCents: 20_000,
    });
    const [after] = await schedulesOf(owner, bookingId);
    // The payment has increased the version by one.
    expect(after).toMatchObject({ version: moved.version + 1 });
  });
});

describe('overdue installments around midnight', () => {
  it.each([
    ['Pacific/Auckland', '2027-06-10T11:50:00Z', '2027-06-10', '2027-06-11'],
    ['America/Los_Angeles', '2027-06-10T06:50:00Z', '2027-06-09', '2027-06-10'],
    ['Pacific/Kiritimati', '2027-06-10T09:50:00Z', '2027-06-10', '2027-06-11'],
  ])(
    'an installment becomes overdue on the day of %s, not on that of UTC',
    async (...[ORG_TIME_ZONE, lastMinutes, before, after]) => {
      const there = await startApp({ env: { ORG_TIME_ZONE } });
      const client = there.as('owner');
      there.travel({ ms: Date.parse(lastMinutes) - there.now().getTime() });
      const bookingId = await book(client, { startDate: null, paymentPolicy: null });
      const plan = await preview(client, bookingId);
      expect([plan['asOf'], plan.entries[0]?.dueDate]).toEqual([before, before]);
      const [, first] = await planned(client);
      expect(first).toMatchObject({ dueDate: before, status: 'pending' });

      there.travel({ ms: 600_000 });
      const statuses = async () => (await schedulesOf(client, first.bookingId)).map(({ status }) => status);
      expect(await statuses()).toEqual(['overdue', 'pending', 'pending']);
      const [, later] = await planned(client);
      expect(later).toMatchObject({ dueDate: after, status: 'pending' });
      there.travel({ ms: -600_000 });
      expect(await statuses()).toEqual(['pending', 'pending', 'pending']);
    },
  );
});
