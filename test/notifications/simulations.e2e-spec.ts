import { dayInWords } from '../../src/platform/time/day-in-words.js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ReminderJobs } from '../../src/modules/notifications/planning/reminders.jobs.js';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { bookingWith } from '../finance/payments/bookings.js';
import { days } from '../finance/payment-plans/plans.js';
import { startApp, type TestApp } from '../setup/app.js';
import { newRule, type ErrorBody, type Rule, RULES } from './reminders.js';

interface Simulated {
  targetId: string;
  bookingId: string;
  stage: string;
  anchorDate: string;
  dueAt: string;
  runAt: string | null;
  sends: boolean;
  reason: string | null;
  recipient: string | null;
  subject: string | null;
  text: string | null;
  runId: string | null;
}
interface Simulation {
  ruleId: string;
  date: string;
  warnings: { code: string }[];
  reminders: Simulated[];
  nextAfterTargetId: string | null;
}

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
});

const ADDRESS = () => `clara-${randomUUID()}@example.com`;
const EMAIL = { channels: [{ channel: 'email' }] };

/** A booking with one open installment of this day, which only rules of `installment_due` concern. */
async function owing(due: string, email: string | null = ADDRESS()) {
  await app.sql(`update payment_schedules set status = 'cancelled', waived = true where status = 'pending'`);
  const { id } = await bookingWith(app, { installments: [[due, 12_345]] });
  await app.sql('update bookings set customer_email = $2 where id = $1', [id, email]);
  return id;
}

async function simulate(id: string, body: object, by: TestApp = app): Promise<Simulation> {
  const answer = await by.as('owner').post<{ data: Simulation }>(`${RULES}/${id}/simulations`, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.data;
}

const installmentRule = (terms: object = {}): Promise<Rule> =>
  newRule(app, { trigger: 'installment_due', stages: [{ offsetDays: -7, ...EMAIL }], ...terms });

async function everything(): Promise<unknown> {
  return app.sql(`select (select count(*) from reminder_runs) as runs, (select count(*) from notification_messages) as messages,
    (select count(*) from action_ledger_entries) as entries`);
}

describe('a simulation', () => {
  it('a simulation returns recipients, texts and times, and changes nothing', async () => {
    const due = app.day(20);
    const bookingId = await owing(due);
    const { id, stages } = await installmentRule();
    const before = await everything();

    const simulation = await simulate(id, { date: days(due, -7) });

    expect(simulation).toMatchObject({ ruleId: id, date: days(due, -7), warnings: [], nextAfterTargetId: null });
    expect(simulation.reminders).toEqual([
      {
        targetId: expect.stringMatching(/^psch_/),
        bookingId,
        stage: stages[0]?.id,
        channel: 'email',
        anchorDate: due,
        dueAt: expect.stringContaining(days(due, -7)),
        runAt: simulation.reminders[0]?.dueAt,
        sends: true,
        reason: null,
        recipient: expect.stringMatching(/^c[^*]+@example\.com$/),
        subject: expect.stringContaining(dayInWords(due, 'en')),
        text: expect.stringContaining('€123.45'),
        runId: null,
      },
    ]);
    expect((await simulate(id, { date: days(due, -6) })).reminders).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it.each([
    ['a rule that is disabled', { enabled: false }, 'rule_disabled'],
    ['an SMS', { stages: [{ offsetDays: -7, channels: [{ channel: 'sms' }] }] }, 'channel_not_supported'],
    [
      'a template that there is not',
      { stages: [{ offsetDays: -7, channels: [{ channel: 'email', templateSlug: 'no' }] }] },
      'template_missing',
    ],
  ])('a simulation of %s returns the reason why nothing is sent', async (_, terms, reason) => {
    const due = app.day(20);
    await owing(due);
    const { id } = await installmentRule(terms);
    const { reminders } = await simulate(id, { date: days(due, -7) });
    expect(reminders).toMatchObject([{ sends: false, reason, recipient: null, subject: null, text: null }]);
  });

  it('a simulation returns reasons for a customer without an address and for a past day', async () => {
    const due = app.day(20);
    await owing(due, null);
    const { id } = await installmentRule({
      stages: [
        { offsetDays: -7, ...EMAIL },
        { offsetDays: -40, ...EMAIL },
      ],
    });
    expect((await simulate(id, { date: days(due, -7) })).reminders).toMatchObject([{ reason: 'no_recipient' }]);
    expect((await simulate(id, { date: days(due, -40) })).reminders).toMatchObject([{ reason: 'too_late' }]);
  });

  it('a simulation applies the limits of a group and of a day', async () => {
    const due = app.day(20);
    await owing(due);
    const stages = [1, 2, 3].map(() => ({ offsetDays: -7, ...EMAIL }));
    const grouped = await installmentRule({ stages, suppressionGroup: `group ${randomUUID()}` });
    const reasons = async (rule: Rule, by?: TestApp) =>
      (await simulate(rule.id, { date: days(due, -7) }, by)).reminders.map(({ reason }) => reason);
    expect(await reasons(grouped)).toEqual([null, 'suppressed', 'suppressed']);

    const strict = await startApp({ env: { JOBS: 'false', REMINDERS_PER_DAY: '2' } });
    expect(await reasons(await installmentRule({ stages }), strict)).toEqual([null, null, 'rate_limited']);
  });

  it('a simulation returns the messages that blackout days move on both days', async () => {
    const due = app.day(20);
    const [blackout, next] = [days(due, -7), days(due, -6)];
    await owing(due);
    const { id } = await installmentRule();
    const closed = await startApp({ env: { JOBS: 'false', BLACKOUT_DAYS: blackout } });
    const runAt = expect.stringContaining(next);
    expect((await simulate(id, { date: blackout }, closed)).reminders).toMatchObject([{ reason: 'moved', runAt }]);
    expect((await simulate(id, { date: next }, closed)).reminders).toMatchObject([
      { sends: true, runAt, dueAt: expect.stringContaining(blackout) },
    ]);
  });

  it('a simulation returns the run and the status of messages that were sent already', async () => {
    const today = app.day();
    await owing(today);
    await app.sql('update reminder_rules set enabled = false');
    const { id } = await installmentRule({ sendTime: '00:00', stages: [EMAIL] });
    expect((await simulate(id, { date: today })).reminders).toMatchObject([{ sends: true, reason: null }]);
    await app.nest.get(ReminderJobs, { strict: false }).plan({ ruleId: id });
    await asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
    expect((await simulate(id, { date: today })).reminders).toMatchObject([
      { sends: false, reason: 'already_sent', runId: expect.stringMatching(/^rrun_/) },
    ]);
  });

  it('a simulation continues after the last target of a page', async () => {
    const due = app.day(25);
    await owing(due);
    await bookingWith(app, { installments: [[due, 100]] });
    const { id } = await installmentRule();
    const first = await simulate(id, { date: days(due, -7), limit: 1 });
    const afterTargetId = first.nextAfterTargetId;
    expect(first.reminders).toMatchObject([{ targetId: afterTargetId }]);
    const second = await simulate(id, { date: days(due, -7), limit: 1, afterTargetId });
    expect(second.reminders).toHaveLength(1);
    expect(second.reminders[0]?.targetId).not.toBe(afterTargetId);
  });

  it('a simulation of an unsupported trigger is empty and has a warning', async () => {
    const { id } = await newRule(app, { trigger: 'document_missing' });
    const { warnings, reminders } = await simulate(id, { date: '2027-05-18' });
    expect([warnings.map(({ code }) => code), reminders]).toEqual([['trigger_dormant'], []]);
  });

  it('a simulation of an invalid day is 400, of an unknown rule 404', async () => {
    const { id } = await installmentRule();
    const rejected = await app.as('owner').post<ErrorBody>(`${RULES}/${id}/simulations`, { date: '2027-02-30' });
    expect(rejected).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(rejected.body.details.issues).toEqual([
      {
        path: 'date',
        message: expect.stringContaining('YYYY-MM-DD'),
        code: 'wrong_format',
        params: { format: 'date' },
      },
    ]);
    const unknown = `${RULES}/rrul_01ARZ3NDEKTSV4RRFFQ69G5FAV/simulations`;
    expect(await app.as('owner').post(unknown, { date: '2027-05-18' })).toMatchObject({ status: 404 });
  });
});
