import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { toAppError } from '../../src/platform/errors/to-app-error.js';
import { contractIn } from '../legal/contracts.js';
import { startApp, type TestApp } from '../setup/app.js';
import { type MailServer, startMailServer } from './mail-server.js';
import { dueRun, type Wanted } from './due-run.js';
import { messagesOf, RULES, runsOf } from './reminders.js';

let server: MailServer;
let app: TestApp;
beforeAll(async () => {
  server = await startMailServer();
  // Its jobs are disabled: the tests call them.
  app = await startApp({
    env: { JOBS: 'false', SMTP_URL: server.url, MAIL_FROM: 'Office <office@example.com>', REMINDERS_PER_DAY: '1000' },
  });
});

const work = (by: TestApp = app) => asSystem(() => by.nest.get(DeliveryJobs, { strict: false }).sendDue());
/** The queue repeats a job that waited too long for a lock; so does this function. */
async function retryWhileBusy(by: TestApp): Promise<void> {
  for (;;) {
    const outcome = await work(by).catch((error: unknown) => toAppError(error)?.status);
    if (outcome === undefined) return;
    expect(outcome).toBe(503);
  }
}

/** Schedulers of other tests have other clocks and would expire runs of this test: its clock is reset. */
async function workLater(ms: number): Promise<void> {
  app.travel({ ms });
  await work();
  app.travel({ ms: -ms });
}

const address = (kind: string) => `${kind}-${randomUUID()}@example.com`;
const mailsTo = (recipient: string) => server.mails.filter((mail) => mail.recipient === recipient);

const due = (wanted: Wanted) => dueRun(app, wanted);

describe('a run that is due', () => {
  it('a due run is sent once by SMTP, with a ledger entry and an event', async () => {
    const email = address('clara');
    const { run, message } = await due({ email });

    await work();
    await work();

    const [mail, ...others] = mailsTo(email);
    const sent = await message();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      from: { name: 'Office', address: 'office@example.com' },
      messageId: `<${sent?.id}@example.com>`,
      subject: expect.stringContaining('due'),
      text: expect.stringContaining('€123.45'),
    });
    expect(await run()).toMatchObject({ status: 'sent', reason: null, recipient: email, attempts: 1 });
    expect(sent).toMatchObject({ kind: 'reminder', status: 'sent', recipient: email, attempts: 1 });
    const days = await app.sql('select sent_on::text as "sentOn" from reminder_runs where id = $1', [
      (await run())?.id,
    ]);
    expect(days).toEqual([{ sentOn: app.day() }]);
  });

  it.each([
    ['a run whose installment was waived meanwhile', 'cancelled', 'target_closed'],
    ['a run whose due date was moved by a direct change of the table', 'superseded', 'anchor_moved'],
  ])('%s is not sent', async (_, status, reason) => {
    const email = address('clara');
    const { bookingId, run } = await due({ email });
    const change =
      status === 'cancelled'
        ? `update payment_schedules set status = 'cancelled', waived = true where booking_id = $1`
        : 'update payment_schedules set due_date = due_date + 30 where booking_id = $1';
    await app.sql(change, [bookingId]);
    await work();
    expect(await run()).toMatchObject({ status, reason });
    expect(mailsTo(email)).toEqual([]);
  });

  it.each([
    ['a run that is 25 hours late is expired', '25 hours', { status: 'expired', reason: 'too_late' }, 0],
    ['a run that is six hours late is sent', '6 hours', { status: 'sent', reason: null }, 1],
  ])('%s', async (...[, late, expected, mails]) => {
    const email = address('clara');
    const { rule, run } = await due({ email });
    await app.sql('update reminder_runs set run_at = now() - $2::interval where rule_id = $1', [rule.id, late]);
    await work();
    expect(await run()).toMatchObject(expected);
    expect(mailsTo(email)).toHaveLength(mails);
  });

  it.each([
    ['a run of an SMS', { email: address('clara'), channel: { channel: 'sms' } }, 'channel_not_supported'],
    [
      'a run without a template',
      { email: address('clara'), channel: { type: 'email', templateSlug: 'no' } },
      'template_missing',
    ],
    ['a run without an address', { email: null }, 'no_recipient'],
  ])('%s is skipped, and has no recipient', async (_, wanted, reason) => {
    const { run, message } = await due(wanted);
    await work();
    expect(await run()).toMatchObject({ status: 'skipped', reason, recipient: null });
    expect(await message()).toBeUndefined();
  });

  it('a due run is suppressed if its recipient got a message of the same group within 24 hours', async () => {
    const email = address('clara');
    const terms = { suppressionGroup: `group ${randomUUID()}` };
    await due({ email, terms });
    await work();
    const second = await due({ email: email.toUpperCase(), terms });
    await work();
    expect(await second.run()).toMatchObject({ status: 'skipped', reason: 'suppressed' });
    expect(mailsTo(email)).toHaveLength(1);
  });
});

describe('a mail server that', () => {
  it('a mail server that is busy receives the mail again after five seconds', async () => {
    const email = address('busy');
    const { run, message } = await due({ email });
    await work();
    expect(await run()).toMatchObject({ status: 'queued', attempts: 1 });
    expect(await message()).toMatchObject({ status: 'queued', error: expect.stringContaining('Later') });
    await work();
    expect(mailsTo(email)).toHaveLength(1);

    await workLater(5_001);
    expect(await run()).toMatchObject({ status: 'sent', attempts: 2 });
    expect(new Set(mailsTo(email).map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('a mail server that is busy does not get the mail again once the rule is disabled', async () => {
    const email = address('busy');
    const { rule, run, message } = await due({ email });
    server.meanwhile = () => app.as('owner').patch(`${RULES}/${rule.id}`, { enabled: false });
    await work();
    server.meanwhile = async () => undefined;
    expect(await run()).toMatchObject({ status: 'cancelled', reason: 'rule_disabled', attempts: 1 });
    expect(await message()).toMatchObject({ status: 'cancelled' });
    await workLater(5_001);
    expect(mailsTo(email)).toHaveLength(1);
  });

  it.each([
    ['rejects the mail does not get it again', 'refused', 'rejected'],
    ['breaks off after the text is not asked again: it may have taken it', 'broken', 'outcome_unknown'],
  ])('a mail server that %s', async (_, kind, reason) => {
    const email = address(kind);
    const { run, message } = await due({ email });
    await work();
    await workLater(900_000);
    expect(await run()).toMatchObject({ status: 'failed', reason, attempts: 1 });
    expect(await message()).toMatchObject({ status: 'failed', reason });
    expect(mailsTo(email)).toHaveLength(1);
  });
});

it('a contract is sent by the same mail server and listed among the messages', async () => {
  const recipientEmail = address('clara');
  const { id, reference } = await contractIn(app, 'issued', { recipientEmail, recipientName: 'Clara' });
  await app.as('owner').post(`/v1/admin/legal/contracts/${id}/dispatch`, { subject: 'Please read', message: 'Hello' });
  const worker = await startApp({ env: { SMTP_URL: server.url } });
  const find = async () => (await messagesOf(worker)).find(({ contractReference }) => contractReference === reference);
  while ((await find())?.status !== 'sent') await new Promise((resolve) => setTimeout(resolve, 100));
  const sent = await find();
  // It sends all due messages, every minute.
  await worker.close();

  const text = expect.stringMatching(/\/v1\/public\/legal\/contract-pages\/[0-9A-Za-z]{43}\s/);
  expect(mailsTo(recipientEmail)).toMatchObject([{ subject: 'Please read', text }]);
  expect(sent).toMatchObject({ kind: 'contract', runId: null, recipient: recipientEmail, attempts: 1 });
});

it('four concurrent schedulers send each due run once', async () => {
  const email = address('many');
  const { bookingId, rule } = await due({ email, channel: { channel: 'email' }, terms: manyStages() });
  const others = await Promise.all(
    [1, 2, 3].map(() => startApp({ env: { JOBS: 'false', SMTP_URL: server.url, REMINDERS_PER_DAY: '1000' } })),
  );
  await Promise.all([...others, app].map(retryWhileBusy));
  await retryWhileBusy(app);

  const runs = await runsOf(app, bookingId, rule.id);
  expect(runs).toHaveLength(30);
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['sent']));
  expect(mailsTo(email)).toHaveLength(30);
  expect(new Set(mailsTo(email).map(({ messageId }) => messageId)).size).toBe(30);
});

it('without a mail server messages are recorded and not sent; the daily limit per recipient applies', async () => {
  const email = address('clara');
  const { bookingId, rule } = await due({ email, terms: manyStages(3) });
  const silent = await startApp({ env: { JOBS: 'false', REMINDERS_PER_DAY: '2' } });
  await work(silent);

  const runs = await runsOf(app, bookingId, rule.id);
  expect(runs.map(({ status, reason }) => `${status} ${reason}`).sort()).toEqual([
    'sent recorded_only',
    'sent recorded_only',
    'skipped rate_limited',
  ]);
  expect(mailsTo(email)).toEqual([]);
  const recorded = await messagesOf(app, runs.find(({ status }) => status === 'sent')?.id);
  expect(recorded).toMatchObject([{ status: 'recorded', text: expect.stringContaining('€123.45') }]);
});

it('an unreachable mail server is tried again, and no log, message or error contains its password', async () => {
  const { run, message } = await due({ email: address('clara') });
  const url = 'smtp://office:hunter2@127.0.0.1:1';
  const cut = await startApp({ env: { JOBS: 'false', SMTP_URL: url, LOG_LEVEL: 'trace' } });
  await work(cut);
  expect(await run()).toMatchObject({ status: 'queued', attempts: 1 });
  expect(await message()).toMatchObject({ status: 'queued', error: expect.stringContaining('ECONNREFUSED') });
  expect(JSON.stringify([await message(), cut.logs])).not.toContain('hunter2');
  expect(appErrorOf({ ...process.env, SMTP_URL: 'http://office:hunter2@127.0.0.1' })).toMatch(
    /^(?!.*hunter2).*SMTP_URL/s,
  );
});

it('a run that is due in quiet hours is sent after they end', async () => {
  const { run } = await due({ email: address('clara') });
  // Uses a clock that was not moved, like the next scheduler's.
  const [hour, next] = [0, 1].map((more) => new Date(Date.now() + more * 3_600_000).toISOString().slice(11, 13));
  const quiet = await startApp({ env: { JOBS: 'false', QUIET_HOURS: `${hour}:00-${next}:30` } });
  await work(quiet);
  expect(await run()).toMatchObject({ status: 'queued', runAt: expect.stringContaining(`T${next}:30:00.000Z`) });
});

function appErrorOf(env: NodeJS.ProcessEnv): string {
  try {
    readEnv(env);
  } catch (error) {
    return inspect(error);
  }
  throw new Error('The environment was taken');
}

/** This number of stages on one day, each of which is due. */
function manyStages(count = 30) {
  return { stages: Array.from({ length: count }, () => ({ channels: [{ channel: 'email' }] })) };
}
