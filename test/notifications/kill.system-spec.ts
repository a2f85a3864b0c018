import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { ReminderJobs } from '../../src/modules/notifications/planning/reminders.jobs.js';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { bookingWith } from '../finance/payments/bookings.js';
import { startApp, type TestApp } from '../setup/app.js';
import { closeAfterTests } from '../setup/running.js';
import { type MailServer, startMailServer } from './mail-server.js';
import { newRule, onlyOwnRules, runsOf } from './reminders.js';

let server: MailServer;
let app: TestApp;
beforeAll(async () => {
  server = await startMailServer();
  app = await startApp({ env: { JOBS: 'false', SMTP_URL: server.url } });
});

describe('a service that is killed while it sends', () => {
  it('a run whose process is killed before the attempt is recorded is sent once by the next process', async () => {
    const { run, email } = await due('clara@kill.example');
    const holder = await lockMarkOf((await run())?.id, email);
    const child = startService();
    await eventually(async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like 'insert into notification_messages%'`;
      return (await app.sql(waiting)).length > 0;
    });
    await kill(child);
    await holder.end();

    await eventually(async () => {
      await work();
      return (await run())?.status !== 'queued';
    });

    expect(await run()).toMatchObject({ status: 'sent', attempts: 1 });
    expect(server.mails.filter(({ recipient }) => recipient === email)).toHaveLength(1);
  });

  it('a run whose process is killed after the attempt is recorded is never sent again, because its outcome is unknown', async () => {
    const { run, email } = await due('silent@kill.example');
    const child = startService();
    await eventually(async () => server.mails.some(({ recipient }) => recipient === email));
    await kill(child);
    expect(await run()).toMatchObject({ status: 'sending' });

    await work();
    expect(await run()).toMatchObject({ status: 'sending' });
    app.travel({ ms: 301_000 });
    await work();
    await work();

    expect(await run()).toMatchObject({ status: 'failed', reason: 'outcome_unknown', attempts: 1 });
    expect(server.mails.filter(({ recipient }) => recipient === email)).toHaveLength(1);
  });
});

it('an accepted mail is recorded as sent also if the database is unavailable for a moment', async () => {
  const { run, email } = await due('clara@locked.example');
  const holder = new pg.Client({ connectionString: process.env.MIGRATION_DATABASE_URL });
  await holder.connect();
  server.meanwhile = async () => {
    await holder.query('begin');
    await holder.query('select from notification_messages where run_id = $1 for update', [(await run())?.id]);
  };
  const working = work();
  const isWaiting = async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like 'update notification_messages%'`;
    return (await app.sql(waiting)).length > 0;
  };
  await eventually(isWaiting);
  await eventually(async () => !(await isWaiting()));
  server.meanwhile = async () => undefined;
  await holder.end();
  await working;

  expect(await run()).toMatchObject({ status: 'sent', attempts: 1 });
  expect(server.mails.filter(({ recipient }) => recipient === email)).toHaveLength(1);
});

const work = () => asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());

async function due(email: string) {
  await onlyOwnRules(app);
  const { id } = await bookingWith(app, { installments: [[app.day(), 100]] });
  await app.sql('update bookings set customer_email = $2 where id = $1', [id, email]);
  const stages = [{ channels: [{ channel: 'email' }] }];
  const rule = await newRule(app, { trigger: 'installment_due', sendTime: '00:00', stages });
  await app.nest.get(ReminderJobs, { strict: false }).plan({ ruleId: rule.id });
  await app.sql(`select from graphile_worker.add_job('notifications.send', '{}')`);
  return { email, run: async () => (await runsOf(app, id, rule.id))[0] };
}

/** Blocks the insertion of the run's message: another transaction has inserted one, and rolls back later. */
async function lockMarkOf(runId: string | undefined, email: string): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: process.env.MIGRATION_DATABASE_URL });
  await holder.connect();
  await holder.query('begin');
  await holder.query(
    `insert into notification_messages (id, kind, run_id, status, recipient, recipient_kind, subject, text, attempts, send_at,
       created_at, updated_at)
     values ('nmsg_held', 'reminder', $1, 'queued', $2, 'primary', 'Held', 'Held', 0, now(), now(), now())`,
    [runId, email],
  );
  return holder;
}

/** Starts the built service in a separate process, which executes jobs. */
function startService(): ChildProcess {
  const env = { ...process.env, PORT: '0', JOBS: 'true', SMTP_URL: server.url };
  const child = spawn(process.execPath, ['dist/src/main.js'], { env, stdio: 'ignore' });
  closeAfterTests(async () => void child.kill('SIGKILL'));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
