import { beforeAll, describe, expect, it } from '@jest/globals';
import { ReminderJobs } from '../../src/modules/notifications/planning/reminders.jobs.js';
import { type Page, staffWith } from '../bookings/bookings.js';
import { bookingWith } from '../finance/payments/bookings.js';
import { retryWhileBusy } from '../finance/payments/payments.js';
import { demoId } from '../../src/platform/ids/id.js';
import { schedulesPath } from '../finance/payment-plans/plans.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newRule, onlyOwnRules, readRule, type Run, RULES, type Rule, runsOf, runsPath } from './reminders.js';

let app: TestApp;
let staff: TestClient;
let jobs: ReminderJobs;
beforeAll(async () => {
  // Its jobs are disabled: the tests call them.
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
  jobs = app.nest.get(ReminderJobs, { strict: false });
  await onlyOwnRules(app);
});

const inDays = (more: number) => app.day(more);
const stages = [
  { offsetDays: -7, channels: [{ channel: 'email' }] },
  { offsetDays: 1, channels: [{ channel: 'email' }, { channel: 'sms' }, { type: 'email', recipientKind: 'cc' }] },
];
const at = (day: string) => `${day}T09:00:00.000Z`;

/** A rule that is planned for existing resources; no other rule reminds of the same ones. */
async function planned(terms: object): Promise<Rule> {
  await onlyOwnRules(app);
  const rule = await newRule(app, { trigger: 'installment_due', stages, ...terms });
  await jobs.plan({ ruleId: rule.id });
  return rule;
}

describe('a rule that is disabled', () => {
  it('a rule that was disabled before it was planned has no runs and shows that its planning ended', async () => {
    const { id } = await bookingWith(app, { installments: [[inDays(30), 100]] });
    await onlyOwnRules(app);
    const rule = await newRule(app, { trigger: 'installment_due', stages });
    expect(rule.planning).toMatchObject({ finishedAt: null, targets: 0 });

    await staff.patch(`${RULES}/${rule.id}`, { enabled: false });
    await jobs.plan({ ruleId: rule.id });

    const { planning: progress } = await readRule(app, rule.id);
    expect(progress).toMatchObject({ finishedAt: expect.stringMatching(/Z$/), targets: 0, runs: 0 });
    expect(await runsOf(app, id, rule.id)).toEqual([]);
  });

  it('a disabled rule cancels and keeps its runs, and plans them again when it is enabled', async () => {
    const { id } = await bookingWith(app, { installments: [[inDays(30), 100]] });
    const rule = await planned({});
    const change = (enabled: boolean) => staff.patch(`${RULES}/${rule.id}`, { enabled });

    expect((await change(false)).status).toBe(200);
    const cancelled = await runsOf(app, id, rule.id);
    expect(cancelled.map(({ reason }) => reason)).toEqual(['rule_disabled', 'rule_disabled', 'rule_disabled']);

    await change(true);
    await jobs.plan({ ruleId: rule.id });
    expect((await runsOf(app, id, rule.id)).map((run) => [run.id, run.status]).sort()).toEqual(
      cancelled.map((run) => [run.id, 'planned']).sort(),
    );
  });

  it('a concurrent change of a booking plans no runs of a rule that is being disabled', async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => bookingWith(app, { installments: [[inDays(30), 100]] })));
    const rule = await planned({});
    const moves = made.map(({ id, schedules }) =>
      retryWhileBusy(() => staff.patch(`${schedulesPath(id)}/${schedules[0]}`, { dueDate: inDays(50) })),
    );
    const answers = await Promise.all([
      ...moves,
      retryWhileBusy(() => staff.patch(`${RULES}/${rule.id}`, { enabled: false })),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const open = `select id from reminder_runs where rule_id = $1 and status in ('planned', 'queued')`;
    expect(await app.sql(open, [rule.id])).toEqual([]);
  });
});

describe('the list of a booking’s runs', () => {
  it('open runs of a booking show the address of the customer, and none for an SMS', async () => {
    const { id } = await bookingWith(app, { installments: [[inDays(30), 100]] });
    const rule = await planned({});
    const recipients = async () =>
      (await runsOf(app, id, rule.id)).map(({ channel, recipient }) => `${channel} ${recipient}`).sort();
    await staff.patch(`/v1/admin/bookings/${id}`, { customerEmail: 'dora@example.com' });
    expect(await recipients()).toEqual(['email dora@example.com', 'email dora@example.com', 'sms null']);
    await staff.patch(`/v1/admin/bookings/${id}`, { customerEmail: null });
    expect(await recipients()).toEqual(['email null', 'email null', 'sms null']);
    await staff.patch(`/v1/admin/bookings/${id}`, { customerEmail: 'dora@example.com' });
    await staff.patch(`${RULES}/${rule.id}`, { enabled: false });
    expect(new Set(await recipients())).toEqual(new Set(['email null', 'sms null']));
  });

  it("the list of a booking's runs has data and total, is filtered and sorted, and is 404 for an unknown booking", async () => {
    const { id } = await bookingWith(app, { installments: [[inDays(30), 100]] });
    const rule = await planned({});
    const list = (query: string) => staff.get<{ data: Run[]; total: number }>(`${runsPath(id)}?${query}`);

    const whole = await list('');
    expect(Object.keys(whole.body)).toEqual(['data', 'total']);
    expect(whole.body.data.map(({ runAt }) => runAt)).toEqual([at(inDays(31)), at(inDays(31)), at(inDays(23))]);
    expect((await list(`stage=${rule.stages[0]?.id}`)).body).toMatchObject({ total: 1 });
    expect((await list(`from=${at(inDays(24))}&limit=1`)).body).toMatchObject({ total: 2, data: [{}] });
    expect((await list(`to=${at(inDays(24))}&status=planned`)).body).toMatchObject({ total: 1 });
    expect((await list('status=sent')).body).toEqual({ data: [], total: 0 });
    expect((await list('status=lost')).status).toBe(400);
    expect((await staff.get(runsPath('book_01k0dem000e000000000009999'))).status).toBe(404);
  });

  it('the list of all bookings is filtered by rule, event, reason and address, which it masks without customers:read', async () => {
    const { id } = await bookingWith(app, { installments: [[inDays(30), 100]] });
    await staff.patch(`/v1/admin/bookings/${id}`, { customerEmail: 'Emil@example.com' });
    const rule = await planned({});
    const list = async (query: string, client = staff) => {
      const { status, body } = await client.get<Page<Run & { bookingNumber: string }>>(
        `/v1/admin/notifications/runs?${query}`,
      );
      expect([query, status]).toEqual([query, 200]);
      return body.data.filter(({ bookingId }) => bookingId === id);
    };

    const all = await list(`ruleId=${rule.id}&trigger=installment_due&status=planned&sort=runAt`);
    expect(all.map(({ channel, recipient, bookingNumber }) => [channel, recipient, typeof bookingNumber])).toEqual([
      ['email', 'Emil@example.com', 'string'],
      ['email', 'Emil@example.com', 'string'],
      ['sms', null, 'string'],
    ]);
    expect(await list(`bookingId=${id}&runAfter=${at(inDays(24))}`)).toHaveLength(2);
    await app.sql('update bookings set customer_id = $2 where id = $1', [id, demoId('cus', 1)]);
    expect(await list(`customerId=${demoId('cus', 1)}&ruleId=${rule.id}`)).toHaveLength(3);
    expect(await list(`customerId=${demoId('cus', 2)}&ruleId=${rule.id}`)).toEqual([]);
    expect(await list(`bookingId=${id}&trigger=invoice_due,payment_complete`)).toEqual([]);
    await app.sql(
      `update reminder_runs set status = 'skipped', reason = 'rate_limited', recipient = 'Emil@example.com' where id = $1`,
      [all[0]?.id],
    );
    expect(await list(`reason=rate_limited&recipient=emil@EXAMPLE.com`)).toMatchObject([{ id: all[0]?.id }]);
    const masked = await list(`bookingId=${id}`, await staffWith(app, 'notifications:read'));
    expect(masked.map(({ recipient }) => recipient).sort()).toEqual(['E***@example.com', 'E***@example.com', null]);
    for (const query of ['trigger=never', 'status=lost', 'search=x']) {
      expect([query, (await staff.get(`/v1/admin/notifications/runs?${query}`)).status]).toEqual([query, 400]);
    }
  });
});
