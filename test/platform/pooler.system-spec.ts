import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Database } from '../../src/platform/database/database.js';
import { destroy } from '../../src/platform/database/service-pool.js';
import { CHANNELS } from '../action-ledger/ledger.js';
import { confirmedBooking, readBooking } from '../bookings/bookings.js';
import { doctor } from '../launcher/doctor.js';
import { DEPARTURES } from '../operations/departures.js';
import { newChannelName, publish } from '../realtime/channel.js';
import { closeStreams, StreamClient } from '../realtime/following.js';
import { startApp } from '../setup/app.js';
import { readContract, TestClient } from '../setup/client.js';
import { readCredentials, tokenOf } from '../setup/credentials.js';
import { insisting, makeDeparture, makeTrip, readDeparture, reserve, seats } from '../trips/trips.js';
import { lockChannels, until } from './locked-table.js';
import { query } from './own-server.js';
import { isInstalled, PgBouncer } from './pgbouncer.js';
import { endAll, ServiceProcess } from './service-process.js';

const direct = process.env['DATABASE_URL'] ?? '';
const owner = process.env['MIGRATION_DATABASE_URL'] ?? '';

const isAvailable = isInstalled();
if (!isAvailable) process.stdout.write('not run: pgbouncer\n');
const ifAvailable = isAvailable ? describe : describe.skip;

/** Applies the settings of roles.sql to the role of the service. */
async function limitRole(): Promise<void> {
  const { pathname, username } = new URL(direct);
  const { adminUrl } = JSON.parse(process.env['TEST_RUN'] ?? '') as { adminUrl: string };
  const limits = [
    `statement_timeout = '5s'`,
    `lock_timeout = '2s'`,
    `idle_in_transaction_session_timeout = '10s'`,
    `client_connection_check_interval = '1s'`,
  ].map((limit) => `alter role ${username} in database ${pathname.slice(1)} set ${limit}`);
  await query(Object.assign(new URL(adminUrl), { pathname }).href, limits.join(';'));
}

ifAvailable('two processes over five server connections of a pooler', () => {
  let pooler: PgBouncer;
  let services: [ServiceProcess, ServiceProcess];
  let clients: [TestClient, TestClient];
  const agent = new Agent({ keepAlive: true });
  const statusesOf = (path: string) => Promise.all(services.map(async (service) => (await service.get(path)).status));
  const eitherOf = (index: number) => clients[index % 2] ?? clients[0];

  beforeAll(async () => {
    await limitRole();
    pooler = await PgBouncer.start(direct, { default_pool_size: '5' });
    const env = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct, JOBS: 'true', DATABASE_POOL_SIZE: '20' };
    services = await Promise.all([ServiceProcess.start(env), ServiceProcess.start(env)]);
    const clientOf = async (service: ServiceProcess) => {
      const url = new URL(service.url);
      const token = tokenOf(readCredentials(), 'owner');
      return new TestClient({ url, agent, contract: await readContract(url, agent), token });
    };
    clients = [await clientOf(services[0]), await clientOf(services[1])];
  }, 60_000);
  afterAll(async () => {
    closeStreams();
    await endAll();
    agent.destroy();
  });

  it('only transactions and single statements use the pooler; what needs a session has connections of its own', async () => {
    const pooled = await pooler.admin<{ application_name: string }>('show clients');
    const names = new Set(pooled.map(({ application_name: name }) => name));
    expect([...names].sort()).toEqual(['', 'travel-operations']);
    const own = await query<{ name: string; count: number }>(
      owner,
      `select application_name as name, count(*)::int from pg_stat_activity
       where datname = current_database() and application_name like 'travel-operations-%' group by 1 order by 1`,
    );
    expect(own).toEqual(
      ['jobs', 'notifier', 'watchdog'].map((name) => ({ name: `travel-operations-${name}`, count: 2 })),
    );
  });

  it('doctor warns of a pooler without the address of the server beside it', async () => {
    const found = async (env: Record<string, string>) =>
      (await doctor({ DATABASE_URL: pooler.url, ...env })).of('pooler');
    const [alone, complete] = await Promise.all([found({}), found({ DATABASE_DIRECT_URL: direct })]);
    const message = 'DATABASE_URL leads to a pooler, and DATABASE_DIRECT_URL is not set';
    expect(alone).toMatchObject([{ verdict: 'WARN', message }]);
    expect(complete).toEqual([]);
  }, 60_000);

  it('a write with an idempotency key happens once, whichever process gets it', async () => {
    const body = { name: `Pooled ${randomUUID()}` };
    const headers = { 'Idempotency-Key': randomUUID() };
    const sent = Array.from({ length: 8 }, (_, index) =>
      insisting(() => eitherOf(index).post(CHANNELS, body, { headers })),
    );
    await Promise.all(sent);
    const again = [
      await clients[0].post(CHANNELS, body, { headers }),
      await clients[1].post(CHANNELS, body, { headers }),
    ];
    expect(again.map(({ status }) => status)).toEqual([201, 201]);
    expect(again[0]?.body).toEqual(again[1]?.body);
    expect(await query(owner, `select from channels where name = '${body.name}'`)).toHaveLength(1);
  });

  it('concurrent reservations sell no seat twice, and each is answered with 200, 409 or 503 overloaded', async () => {
    const { id } = await makeDeparture(clients[0], { capacity: 10 });
    const trips = await Promise.all(Array.from({ length: 40 }, (_, index) => makeTrip(eitherOf(index), [seats(id)])));
    const answers = await Promise.all(trips.map(({ envelopeId }, index) => reserve(eitherOf(index), envelopeId)));
    const outcomes = answers.map(({ status, body }) => (status === 503 ? codeOf(body) : String(status)));
    for (const outcome of outcomes) expect(['200', '409', 'overloaded']).toContain(outcome);
    const held = outcomes.filter((outcome) => outcome === '200').length;
    expect(held).toBeGreaterThan(0);
    expect(await readDeparture(clients[0], id)).toMatchObject({ held, available: 10 - held });
    expect((await pooler.admin('show servers')).length).toBeLessThanOrEqual(5);
  }, 60_000);

  it('a message that one process stores reaches a stream of the other one, and a job follows a moved departure', async () => {
    const token = readCredentials().platformKey;
    const channel = newChannelName();
    const reader = await StreamClient.open({ url: services[1].url, token, channel });
    await publish(clients[0].with(token), channel, 'hello');
    await reader.until(1);
    expect(reader.data).toEqual(['hello']);

    const { id } = await makeDeparture(clients[0]);
    const { booking } = await confirmedBooking(clients[1], { item: { departureId: id } });
    const times = { startsAt: '2130-03-02T06:00:00Z', endsAt: '2130-03-02T10:00:00Z' };
    expect((await clients[0].patch(`${DEPARTURES}/${id}`, times)).status).toBe(200);
    await until(async () => (await readBooking(clients[1], booking.id)).departureDate === '2130-03-02');
  });

  it('the limits of statements apply, and the server ends the statement of a client that has disconnected', async () => {
    const client = new pg.Client({ connectionString: pooler.url });
    await client.connect();
    const gone = new pg.Client({ connectionString: pooler.url, application_name: 'gone' });
    gone.on('error', () => undefined);
    await gone.connect();
    gone.query('begin; set local statement_timeout = 0; select pg_sleep(600)').catch(() => undefined);
    const running = () =>
      query(
        owner,
        `select from pg_stat_activity where state = 'active' and query like '%pg_sleep(600)' and pid <> pg_backend_pid()`,
      );
    await until(async () => (await running()).length === 1);
    destroy(gone);

    const slow = expect(client.query('select pg_sleep(600)')).rejects.toMatchObject({ code: '57014' });
    await slow;
    await client.end();
    await until(async () => (await running()).length === 0);
  }, 60_000);

  it('while all server connections wait for a lock, requests are 503 overloaded, and the processes stay ready', async () => {
    const lock = await lockChannels();
    const waiting = Promise.all(Array.from({ length: 6 }, (_, index) => eitherOf(index).get(CHANNELS)));
    await until(async () => (await lock.waiting()) === 5);
    expect(await statusesOf('/health/ready')).toEqual([200, 200]);
    const answers = await waiting;
    await lock.release();
    expect(new Set(answers.map(({ status, body }) => `${status} ${codeOf(body)}`))).toEqual(
      new Set(['503 overloaded']),
    );
    expect((await clients[0].get(CHANNELS)).status).toBe(200);
  }, 60_000);

  it('server connections that change under prepared statements break no request', async () => {
    const serverProcesses = async () => {
      const found = await pooler.admin<{ remote_pid: number }>('show servers');
      return found.map(({ remote_pid: pid }) => pid);
    };
    const before = await serverProcesses();
    const statuses: number[] = [];
    let isSending = true;
    const senders = Array.from({ length: 8 }, async (_, index) => {
      while (isSending) {
        const name = `Pooled ${randomUUID()}`;
        statuses.push((await insisting(() => eitherOf(index).post(CHANNELS, { name }))).status);
        statuses.push((await insisting(() => eitherOf(index + 1).get(`${CHANNELS}?limit=1`))).status);
      }
    });
    for (let round = 0; round < 5; round += 1) {
      await pause(100);
      await pooler.admin('reconnect');
    }
    await until(async () => (await serverProcesses()).every((pid) => !before.includes(pid)));
    isSending = false;
    await Promise.all(senders);
    expect([...new Set(statuses)].sort()).toEqual([200, 201]);
  }, 60_000);

  it('while the pooler is unavailable, requests are 503; after its restart the service works without one of its own', async () => {
    await pooler.stop();
    expect(await statusesOf(CHANNELS)).toEqual([503, 503]);
    await pooler.launch();
    await until(async () => String(await statusesOf(CHANNELS)) === '200,200');
    expect((await clients[0].post(CHANNELS, { name: `Pooled ${randomUUID()}` })).status).toBe(201);
  }, 60_000);

  it('both processes stop in order, with the connections that they have besides the pooler', async () => {
    expect(await Promise.all(services.map((service) => service.end()))).toEqual([0, 0]);
    expect(
      await query(
        owner,
        `select from pg_stat_activity where datname = current_database() and application_name like 'travel-operations-%'`,
      ),
    ).toEqual([]);
  });
});

ifAvailable('pipelined transactions over a pooler', () => {
  it('a statement that is prepared for the first time in a failed transaction works in the next one', async () => {
    const pooler = await PgBouncer.start(direct, { default_pool_size: '1' });
    const app = await startApp({ env: { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct, JOBS: 'false' } });
    const database = app.nest.get(Database);
    await app.sql('create table pooled_rows (id int primary key); grant all on pooled_rows to public');
    const insert = (id: number) =>
      database.write({ name: 'pooled-insert', text: 'insert into pooled_rows values ($1)', values: [id] });
    const later = (name: string) => database.write({ name, text: `select 1 as ${name}`, values: [] });
    for (let round = 1; round <= 3; round += 1) {
      const failed = database.transaction(async () => {
        await insert(0);
        await insert(0);
        await later(`later_${round}`);
        await later('later');
      });
      await expect(failed).rejects.toMatchObject({ code: '23505' });
      await database.transaction(async () => {
        await later(`later_${round}`);
        await later('later');
        await insert(round);
      });
    }
    expect(await app.sql('select id from pooled_rows order by id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  }, 60_000);
});

function codeOf(body: unknown): string {
  return (body as { code?: string }).code ?? '';
}
