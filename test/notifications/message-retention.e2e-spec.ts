import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { MessageRetentionJobs } from '../../src/modules/notifications/deliveries/message-retention.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import { dueRun } from './due-run.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false', REMINDERS_PER_DAY: '1000' } });
});

const erase = () => asSystem(() => app.nest.get(MessageRetentionJobs, { strict: false }).erasePast());

/** A reminder that was recorded now, and the rows of its message and run. */
async function sentMessage() {
  const email = `clara-${randomUUID()}@example.com`;
  const { run, message } = await dueRun(app, { email });
  await asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
  const [id, runId] = [(await message())?.id, (await run())?.id];
  const stored = async () =>
    (await app.sql<Record<string, unknown>>('select * from notification_messages where id = $1', [id]))[0];
  const storedRun = async () =>
    (await app.sql<Record<string, unknown>>('select * from reminder_runs where id = $1', [runId]))[0];
  return { email, stored, storedRun };
}

/** The months of the retention period do not end on the same day as a fixed number of days. */
const lastMonths = async (months: number) => {
  const [{ days } = { days: 0 }] = await app.sql<{ days: number }>(
    `select (now()::date - (now() - make_interval(months => $1))::date)::int as days`,
    [months],
  );
  return days;
};

describe('the personal data of a message', () => {
  it('the recipient, subject and text of a message are erased after 24 months, and its outcome stays', async () => {
    const { email, stored, storedRun } = await sentMessage();
    const before = await stored();
    expect(before).toMatchObject({ status: 'recorded', recipient: email, erased_at: null });
    const days = await lastMonths(24);

    app.travel({ days: days - 1 });
    await erase();
    expect([await stored(), (await storedRun())?.recipient]).toEqual([before, email]);

    app.travel({ days: 2 });
    await erase();
    const { recipient, subject, text, error, erased_at, ...rest } = (await stored()) ?? {};
    expect([recipient, subject, text, error]).toEqual(['erased', 'erased', 'erased', null]);
    expect(rest).toEqual(Object.fromEntries(Object.keys(rest).map((name) => [name, before?.[name]])));
    expect(await storedRun()).toMatchObject({ status: 'sent', recipient: null });

    await erase();
    expect((await stored())?.erased_at).toEqual(erased_at);
    app.travel({ days: -days - 1 });
  });

  it('a message that still waits to be sent is never erased', async () => {
    const { email, stored } = await sentMessage();
    const waiting = `update notification_messages set status = 'queued', sent_at = null where recipient = $1`;
    await app.sql(waiting, [email]);
    app.travel({ days: 4_000 });
    await erase();
    app.travel({ days: -4_000 });
    expect(await stored()).toMatchObject({ recipient: email, erased_at: null });
  });

  it('concurrent retention jobs erase every message, also more than one batch of them', async () => {
    const prefix = randomUUID();
    const [contract] = await app.sql<{ id: string }>('select id from contracts limit 1');
    await app.sql(
      `insert into notification_messages (id, kind, contract_id, status, recipient, recipient_kind, subject, text, attempts,
         send_at, created_at, updated_at)
       select $1 || n, 'contract', $2, 'recorded', n || '@example.com', 'primary', 's', 't', 1, t, t, t
       from generate_series(1, 2500) n, (select now() - interval '3 years' as t) as past`,
      [prefix, contract?.id],
    );
    await Promise.all([erase(), erase(), erase()]);
    const left = 'select from notification_messages where starts_with(id, $1) and erased_at is null';
    expect(await app.sql(left, [prefix])).toEqual([]);
  });
});
