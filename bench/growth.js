import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { fill, FILLED } from './growth/fill.js';
import { startService } from './processes.js';
import { startWorld } from './world.js';

/** Enough rows for full pages. */
const SMALL = 0.0001;
const ROUNDS = 15;
const REQUESTS_PER_ROUND = 8;
const AIM = 1.2;

const LEDGER = '/v1/admin/action-ledger/entries';
const FINANCE = '/v1/admin/finance';
const BOOKINGS = '/v1/admin/bookings';
const CONTRACTS = '/v1/admin/legal/contracts';
const TRIPS = '/v1/admin/trips';

/**
 * Each case returns the next request, from ids that the database has. A list with a filter finds a full page in both
 * databases; the number of rows that match it, which is its total, is bounded unless triggers count it.
 */
const CASES = {
  'ledger: get an entry': ({ ids }) => get(`${LEDGER}/${any(ids.action_ledger_entries)}`),
  'ledger: list': () => get(LEDGER),
  'ledger: of a subject': ({ subject }) => get(`${LEDGER}?subjectType=${subject.type}&subjectId=${subject.id}`),
  'ledger: of an action': () => get(`${LEDGER}?action=growth.action.7`),
  'ledger: of an actor': () => get(`${LEDGER}?actorId=user_growth_7`),
  'ledger: of the last day': ({ yesterday }) => get(`${LEDGER}?from=${yesterday}`),
  'ledger: up to a month ago': ({ monthAgo }) => get(`${LEDGER}?to=${monthAgo}`),
  'channel: create (one entry)': () => post('/v1/admin/distribution/channels', { name: `Channel ${randomUUID()}` }),
  'supplier invoices: get': ({ ids }) => get(`${FINANCE}/supplier-invoices/${any(ids.supplier_invoices)}`),
  'supplier invoices: list': () => get(`${FINANCE}/supplier-invoices`),
  'supplier invoices: approved': () => get(`${FINANCE}/supplier-invoices?status=approved`),
  'supplier invoices: search a number': ({ rows }) => get(`${FINANCE}/supplier-invoices?search=G-${rows}`),
  'supplier invoices: create': () =>
    post(`${FINANCE}/supplier-invoices`, {
      supplierName: `Supplier ${randomUUID()}`,
      invoiceNumber: randomUUID(),
      currency: 'EUR',
      issueDate: new Date().toISOString().slice(0, 10),
      totalCents: 11900,
    }),
  'bookings: get': ({ ids }) => get(`${BOOKINGS}/${any(ids.bookings)}`),
  'bookings: list': () => get(BOOKINGS),
  'bookings: confirmed': () => get(`${BOOKINGS}?status=confirmed`),
  'bookings: by departure date': () => get(`${BOOKINGS}?sort=departureDate`),
  'bookings: search a number': ({ rows }) => get(`${BOOKINGS}?search=G-${rows}`),
  'bookings: create': () => post(BOOKINGS, { currency: 'EUR', customerName: 'Growth' }),
  'invoices: get': ({ ids }) => get(`${FINANCE}/invoices/${any(ids.invoices)}`),
  'invoices: list': () => get(`${FINANCE}/invoices`),
  'invoices: issued': () => get(`${FINANCE}/invoices?status=issued`),
  'invoices: search a number': ({ rows }) => get(`${FINANCE}/invoices?search=G-${rows - (rows % 6) - 1}`),
  'payments: list': () => get(`${FINANCE}/payments`),
  'payments: incoming': () => get(`${FINANCE}/payments?direction=in`),
  'payments: by reference': ({ rows }) => get(`${FINANCE}/payments?reference=G-${rows}`),
  'contracts: list': () => get(CONTRACTS),
  'contracts: sent': () => get(`${CONTRACTS}?status=sent`),
  'contracts: create': () => post(CONTRACTS, { title: 'Growth', body: '<p>Text</p>' }),
  'trips: list': () => get(TRIPS),
  'trips: drafts': () => get(`${TRIPS}?status=draft`),
  'trips: create': () => post(TRIPS, { title: 'Growth', currency: 'EUR' }),
  'messages: list': () => get('/v1/admin/notifications/messages'),
  'messages: sent': () => get('/v1/admin/notifications/messages?status=sent'),
  'departures: list': () => get('/v1/admin/operations/departures'),
  'departures: of a product': () => get('/v1/admin/operations/departures?productId=product-7'),
  'desk: dashboard': () => get('/v1/admin/desk/dashboard'),
  'desk: departures of a week': () => get('/v1/admin/desk/departures'),
  'desk: departures of 62 days': ({ today, inTwoMonths }) =>
    get(`/v1/admin/desk/departures?from=${today}&to=${inTwoMonths}&limit=100`),
  'desk: a booking': ({ ids }) => get(`/v1/admin/desk/bookings/${any(ids.bookings)}`),
  'desk: bookings with a balance': () => get(`${BOOKINGS}?balance=open`),
  'desk: search a number': ({ rows }) => get(`/v1/admin/search?q=G-${rows}`),
  'desk: search a name': ({ names }) => get(`/v1/admin/search?q=${encodeURIComponent(any(names))}`),
  'desk: search a common word': () => get('/v1/admin/search?q=customer'),
  'desk: calendar of a week': () => get('/v1/admin/operations/calendar'),
  'realtime: newest 100 of a channel': () => get('/realtime/v1/channels/growth.1/messages?limit=100', 'platform'),
};

const factor = Number(process.argv[2] ?? 1);
if (!(factor > 0 && factor <= 1)) throw new Error('Expected the share of the full size, such as 0.05');
const only = process.argv[3];

const world = await startWorld();
const services = [];
try {
  const large = databaseNamed('travel');
  const small = databaseNamed('travel_small');
  await onServer(async (admin) => {
    await admin.query(`alter system set max_wal_size = '16GB'`);
    await admin.query(`alter system set checkpoint_timeout = '30min'`);
    await admin.query('select pg_reload_conf()');
    await world.pool.end();
    await admin.query('create database travel_small template travel owner travel_owner');
  });
  const started = performance.now();
  await fill(small, SMALL, () => undefined);
  await fill(large, factor, console.log);
  await onServer((admin) => admin.query('checkpoint'));
  console.log(`filled ${FILLED.length} tables in ${Math.round((performance.now() - started) / 1000)} s`);
  console.log(`size: ${await sizeOf(large)}; beside it ${await sizeOf(small)}\n`);

  const sides = [];
  for (const [name, connect] of [
    ['travel_small', small],
    ['travel', large],
  ]) {
    const service = await startOn(name);
    services.push(service);
    sides.push({ url: service.url, agent: new Agent({ keepAlive: true }), data: await dataOf(connect) });
  }
  await report(sides);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const service of services) await service.stop();
  await world.stop().catch(() => undefined);
  rmSync(world.folder, { recursive: true, force: true });
}

/** Prints the ratio of each case: the median of the rounds, in which both databases take turns; and the p95 of the large one. */
async function report(sides) {
  const heads = ['small', 'large', 'p95'].map((head) => head.padStart(9)).join(' ');
  console.log(`${'Case'.padEnd(38)} ${heads} ${'ratio'.padStart(7)}`);
  let missed = 0;
  for (const [name, next] of Object.entries(CASES)) {
    if (only !== undefined && !name.includes(only)) continue;
    const rounds = await roundsOf(sides, next).catch((error) =>
      console.log(`${name.padEnd(38)} failed: ${error.message}`),
    );
    if (!rounds) {
      missed += 1;
      continue;
    }
    const [small, large] = [0, 1].map((place) => median(rounds.map((times) => median(times[place]))));
    const ratio = median(rounds.map(([one, other]) => median(other) / median(one)));
    const p95 = quantile(
      rounds.flatMap(([, times]) => times),
      0.95,
    );
    if (ratio > AIM) missed += 1;
    const figures = [small, large, p95].map((ms) => `${ms.toFixed(2)} ms`.padStart(9)).join(' ');
    console.log(`${name.padEnd(38)} ${figures} ${ratio.toFixed(2).padStart(7)}${ratio > AIM ? '  missed' : ''}`);
  }
  console.log(`\n${missed} cases above ${AIM} of a small database`);
}

/** The times of each round on both sides, after one that is not measured. */
async function roundsOf(sides, next) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const times = [];
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) times.push(await timesOf(side, next));
    if (round > 0) rounds.push(round % 2 === 0 ? times : times.reverse());
  }
  return rounds;
}

async function timesOf(side, next) {
  const times = [];
  for (let n = 0; n < REQUESTS_PER_ROUND; n += 1) {
    const wanted = next(side.data);
    const started = performance.now();
    await send(side, wanted);
    times.push(performance.now() - started);
  }
  return times;
}

function send({ url, agent }, { method, path, body, credential }) {
  const token = credential === 'platform' ? world.credentials.platformKey : world.credentials.staff.token;
  const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => (text += part));
      response.on('end', () => {
        if (response.statusCode < 300) resolve(text);
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`));
      });
    });
    sent.on('error', reject);
    sent.end(body ? JSON.stringify(body) : undefined);
  });
}

/** The properties of a database that the requests need. */
async function dataOf(connect) {
  const client = await connect();
  try {
    const ids = {};
    for (const table of ['action_ledger_entries', 'supplier_invoices', 'bookings', 'invoices']) {
      const { rows } = await client.query(`select id from ${table} where id like '%00' order by id limit 2000`);
      ids[table] = rows.map(({ id }) => id);
    }
    const { rows: subjects } = await client.query(
      `select subject_type as type, subject_id as id from action_ledger_entries where subject_type = 'growth_7' limit 1`,
    );
    const { rows: named } = await client.query(
      `select customer_name as name from bookings where number like 'G-%' order by id limit 200`,
    );
    const names = named.map(({ name }) => name);
    const { rows: counts } = await client.query(`select count(*)::int as rows from bookings where number like 'G-%'`);
    const before = (days) => new Date(Date.now() - days * 86_400_000).toISOString();
    const [today, inTwoMonths] = [0, -61].map((days) => before(days).slice(0, 10));
    const times = { yesterday: before(1.5), monthAgo: before(30), today, inTwoMonths };
    return { ids, names, subject: subjects[0], rows: counts[0].rows, ...times };
  } finally {
    await client.end();
  }
}

/** Starts a service without jobs, with a separate files folder. */
function startOn(database) {
  const folder = join(world.folder, `data-${database}`);
  cpSync(join(world.folder, 'data'), folder, { recursive: true });
  const url = new URL(world.databaseUrl);
  url.pathname = `/${database}`;
  const env = { ...world.env, MIGRATION_DATABASE_URL: '', DATA_DIR: folder, JOBS: 'false', LOG_LEVEL: 'warn' };
  return startService({ ...world, env }, url.href);
}

function databaseNamed(name) {
  return async () => {
    const url = new URL(world.superuserUrl);
    url.pathname = `/${name}`;
    const client = new pg.Client(url.href);
    // After an error the server stops, while the other lane still fills a table.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
}

async function onServer(work) {
  const client = await databaseNamed('postgres')();
  await work(client).finally(() => client.end());
}

async function sizeOf(connect) {
  const client = await connect();
  const { rows } = await client.query('select pg_size_pretty(pg_database_size(current_database())) as size');
  await client.end();
  return rows[0].size;
}

function get(path, credential = 'staff') {
  return { method: 'GET', path, credential };
}

function post(path, body) {
  return { method: 'POST', path, body };
}

function any(list) {
  return list[Math.floor(Math.random() * list.length)];
}

function median(values) {
  return quantile(values, 0.5);
}

function quantile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)];
}
