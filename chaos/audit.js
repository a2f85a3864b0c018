// @ts-check
import { setTimeout as pause } from 'node:timers/promises';
import { missesOf, quantile } from './figures.js';
import { watchLag } from './lag.js';
import { run } from './world.js';

/**
 * @typedef {import('./world.js').World} World
 * @typedef {import('./recording-client.js').Write} Write
 * @typedef {{ id: string, name: string, version: number, creations: number, updates: number }} Row
 */

const SETTLED_WITHIN_MS = 60_000;
/** The time after the recovery; much shorter than the time that a key stays locked. */
const KEYS_FREE_WITHIN_SECONDS = 5;
const RELAYED_WITHIN_MS = 15_000;

const CREATED_ROWS = `
  with created as (
    select id, name, version from channels where starts_with(name, $1)
    union all
    select id, invoice_number, version from supplier_invoices where starts_with(invoice_number, $1))
  select id, name, version,
    (select count(*)::int from action_ledger_entries where subject_id = created.id and action like '%.create') as creations,
    (select count(*)::int from action_ledger_entries where subject_id = created.id and action like '%.update') as updates
  from created`;

/**
 * Lets the client deliver all writes, and compares them with the stored rows and with the responses to repetitions.
 * @param {World} world
 * @param {import('./recording-client.js').RecordingClient} client
 * @param {number} before number of events published before the client started
 */
export async function account(world, client, before) {
  const lag = watchLag();
  const settled = await client.settle(SETTLED_WITHIN_MS);
  const allowed = KEYS_FREE_WITHIN_SECONDS + lag() / 1000;
  await client.replay();
  const found = await compareWithStored(world, client);
  const { acknowledged, requests, times } = client;
  const misses = [
    ...client.faults,
    ...missesOf([
      [found.lost === 0, `${found.lost} acknowledged effects are missing`],
      [found.duplicated === 0, `${found.duplicated} effects are duplicated`],
      [settled <= allowed, `the last key could be used again only after ${settled.toFixed(1)} s`],
    ]),
    ...(await aftermath(world, client, before)),
  ];
  return { requests, acknowledged, ...found, p99Ms: quantile(times, 0.99), misses };
}

/** Rows, their versions and their ledger entries. @param {World} world @param {{ tag: string, writes: Write[] }} client */
async function compareWithStored({ pool }, client) {
  const { rows } = await pool.query(CREATED_ROWS, [client.tag]);
  return compare(client.writes, rows);
}

/**
 * Counts the effects of acknowledged writes that are missing, and the effects without an acknowledged write.
 * @param {Write[]} writes
 * @param {Row[]} rows all rows with the client's tag
 */
export function compare(writes, rows) {
  const found = { lost: 0, duplicated: 0 };
  /** @param {number} is @param {number} wanted */
  const expect = (is, wanted) => {
    found.lost += Math.max(0, wanted - is);
    found.duplicated += Math.max(0, is - wanted);
  };
  const acknowledged = writes.filter(({ answer }) => answer !== null);
  const changes = countBy(acknowledged.filter(({ of }) => of !== null).map(({ of }) => of?.answer?.body.data.id));
  const created = acknowledged.filter(({ of }) => of === null);
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { answer } of created) {
    const row = byId.get(answer?.body.data.id);
    const changed = changes.get(answer?.body.data.id) ?? 0;
    expect(row ? 1 : 0, 1);
    if (row) {
      expect(row.version, 1 + changed);
      expect(row.creations, 1);
      expect(row.updates, changed);
    }
  }
  const answered = new Set(created.map(({ answer }) => answer?.body.data.id));
  found.duplicated += rows.filter(({ id }) => !answered.has(id)).length;
  return found;
}

/**
 * Counts all events on the channels of the client's writes, both published ones and those still in the outbox, such as events
 * of the demo data at the start.
 * @param {World} world
 * @returns {Promise<number>}
 */
export async function published({ pool }) {
  const { rows } = await pool.query(
    `select (
       (select coalesce(sum(last_seq - first_seq + 1), 0) from realtime_channels where name = any ($1))
       + (select count(*) from outbox_events where channel = any ($1)))::int as count`,
    [['finance.supplier-invoices', 'distribution.channels']],
  );
  return rows[0].count;
}

/**
 * Checks events and ledger after all writes: events that are missing or duplicated, and broken chains of the ledger.
 * @param {World} world
 * @param {{ writes: Write[] }} client
 * @param {number} before events published before the client started
 * @returns {Promise<string[]>}
 */
async function aftermath(world, { writes }, before) {
  const misses = [];
  const until = performance.now() + RELAYED_WITHIN_MS;
  const wanted = writes.filter(({ answer }) => answer !== null).length;
  while ((await waiting(world)) > 0 && performance.now() < until) await pause(100);
  const count = (await published(world)) - before;
  if (count !== wanted) misses.push(`${wanted} writes were acknowledged and ${count} events published`);
  await run('ledger verify', world.env).catch((error) => misses.push(String(error)));
  return misses;
}

/** @param {World} world @returns {Promise<number>} */
async function waiting({ pool }) {
  const { rows } = await pool.query('select count(*)::int as count from outbox_events');
  return rows[0].count;
}

/** @template T @param {T[]} values @returns {Map<T, number>} */
function countBy(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
