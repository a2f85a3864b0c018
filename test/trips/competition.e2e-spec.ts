import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { findContext } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { makeDeparture, makeTrip, price, readDeparture, reserve, seats, TRIPS } from './trips.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('reservations at once', () => {
  it('two of one trip hold once', async () => {
    const { id } = await makeDeparture(owner);
    const { envelopeId } = await makeTrip(owner, [seats(id)]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => reserve(owner, envelopeId)));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(await readDeparture(owner, id)).toMatchObject({ held: 1 });
    const plans = await app.sql('select from reservation_plans where envelope_id = $1', [envelopeId]);
    expect(plans).toHaveLength(1);
  });

  it('of the same departures in any order never wait for each other in a circle', async () => {
    const departures = await Promise.all(Array.from({ length: 4 }, () => makeDeparture(owner, { capacity: 100 })));
    const deadlocks = 'select deadlocks::int from pg_stat_database where datname = current_database()';
    const before = await app.sql(deadlocks);
    const orders = Array.from({ length: 16 }, (_, n) => [n, n * 3 + 1, n * 7 + 2, n * 5 + 3].map((m) => m % 4));
    const trips = [];
    for (const order of orders) {
      trips.push(
        await makeTrip(
          owner,
          order.map((index) => seats(departures[index]?.id ?? '')),
        ),
      );
    }
    for (const { envelopeId } of trips) await price(owner, envelopeId);
    const answers = await Promise.all(trips.map(({ envelopeId }) => reserve(owner, envelopeId)));
    expect(answers.map(({ status }) => status)).toEqual(trips.map(() => 200));
    expect(await app.sql(deadlocks)).toEqual(before);
    const held = await Promise.all(departures.map(async ({ id }) => (await readDeparture(owner, id)).held));
    expect(held.reduce((sum, units) => sum + units, 0)).toBe(64);
  });

  it('of a trip with three components of ours take at most 14 statements, begin and commit counted', async () => {
    const departures = await Promise.all([1, 2, 3].map(() => makeDeparture(owner)));
    const { envelopeId } = await makeTrip(
      owner,
      departures.map(({ id }) => seats(id)),
    );
    await price(owner, envelopeId);
    const statements = await statementsOf(async () => {
      expect((await reserve(owner, envelopeId)).status).toBe(200);
    });
    expect(statements).toBeGreaterThan(5);
    expect(statements).toBeLessThanOrEqual(14);
  });

  it('with one Idempotency-Key are one; the key belongs to its trip', async () => {
    const { id } = await makeDeparture(owner);
    const [one, other] = [await makeTrip(owner, [seats(id)]), await makeTrip(owner, [seats(id)])];
    const headers = { 'Idempotency-Key': `trip-${one.envelopeId}` };
    const first = await owner.post(`${TRIPS}/${one.envelopeId}/reserve`, undefined, { headers });
    const again = await owner.post(`${TRIPS}/${one.envelopeId}/reserve`, undefined, { headers });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const reused = await owner.post(`${TRIPS}/${other.envelopeId}/reserve`, undefined, { headers });
    expect([reused.status, reused.body]).toEqual([422, expect.objectContaining({ code: 'idempotency_key_reused' })]);
    expect(await readDeparture(owner, id)).toMatchObject({ held: 1 });
  });
});

/** How many statements the requests sent meanwhile. */
async function statementsOf(work: () => Promise<void>): Promise<number> {
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  let count = 0;
  Reflect.set(pg.Client.prototype, 'query', function counted(this: pg.Client, ...given: unknown[]): unknown {
    if (findContext()?.actor) count += 1;
    const answer: unknown = Reflect.apply(query as () => unknown, this, given);
    return answer;
  });
  try {
    await work();
  } finally {
    Reflect.set(pg.Client.prototype, 'query', query);
  }
  return count;
}
