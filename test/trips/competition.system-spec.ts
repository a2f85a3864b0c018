import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { findContext } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { DEADLOCK, recordDatabaseErrors } from '../setup/recorded-errors.js';
import {
  book,
  cancel,
  insisting,
  makeDeparture,
  makeTrip,
  price,
  readDeparture,
  reserve,
  seats,
  TRIPS,
} from './trips.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('concurrent reservations', () => {
  it('concurrent reservations of one draft price and reserve it once, and all return the same reservation', async () => {
    const { id } = await makeDeparture(owner);
    const { envelopeId } = await makeTrip(owner, [seats(id)]);
    const all = Array.from({ length: 16 }, () => insisting(() => reserve(owner, envelopeId)));
    const answers = (await Promise.all(all)).map(({ status, body }) => [
      status,
      body.data?.reservation?.planId ?? body,
    ]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toEqual([200, expect.stringMatching(/^tpln_/)]);
    expect(await readDeparture(owner, id)).toMatchObject({ held: 1 });
    const plans = await app.sql('select from reservation_plans where envelope_id = $1', [envelopeId]);
    expect(plans).toHaveLength(1);
  });

  it('trips of the same departures in random orders are reserved, booked and cancelled without a deadlock', async () => {
    const made = await Promise.all([1, 2, 3, 4, 5].map(() => makeDeparture(owner, { capacity: 100 })));
    const ids = made.map(({ id }) => id);
    const [deadlocks, expected] = [
      recordDatabaseErrors(app, DEADLOCK),
      new Map(ids.map((id) => [id, { held: 0, sold: 0 }])),
    ];
    const action = fc.record({
      order: fc.shuffledSubarray(ids, { minLength: 2 }),
      end: fc.constantFrom('book', 'cancel', 'keep'),
    });
    const actions = fc.array(action, { minLength: 12, maxLength: 12 });
    const compete = async (wanted: { order: string[]; end: string }[]) => {
      const trips = await Promise.all(
        wanted.map(({ order }) =>
          makeTrip(
            owner,
            order.map((id) => seats(id)),
          ),
        ),
      );
      const reserved = await Promise.all(trips.map(({ envelopeId }) => insisting(() => reserve(owner, envelopeId))));
      expect(reserved.map(({ status }) => status)).toEqual(trips.map(() => 200));
      const ended = trips.map(({ envelopeId }, index) => {
        const end = { book, cancel, keep: reserve }[wanted[index]?.end ?? 'keep'] ?? reserve;
        return insisting(() => end(owner, envelopeId));
      });
      expect((await Promise.all(ended)).map(({ status }) => status)).toEqual(trips.map(() => 200));
      for (const { order, end } of wanted) {
        const counts = order.map((id) => expected.get(id)).filter((one) => one !== undefined);
        for (const count of counts) count[end === 'book' ? 'sold' : 'held'] += end === 'cancel' ? 0 : 1;
      }
      const found = await Promise.all(ids.map(async (id) => readDeparture(owner, id)));
      expect(found.map(({ held, sold }) => ({ held, sold }))).toEqual([...expected.values()]);
      expect(deadlocks).toEqual([]);
    };
    // Not shrunk, because sold units stay sold. The failure names the seed.
    await fc.assert(fc.asyncProperty(actions, compete), { numRuns: 2, endOnFailure: true });
  });

  it('a reservation of three departures takes at most 15 statements, BEGIN and COMMIT included', async () => {
    const departures = await Promise.all([1, 2, 3].map(() => makeDeparture(owner)));
    const counts: number[] = [];
    // The least of three: a credential is checked again once a second.
    for (let round = 0; round < 3; round += 1) {
      const { envelopeId } = await makeTrip(
        owner,
        departures.map(({ id }) => seats(id)),
      );
      await price(owner, envelopeId);
      const statements = await statementsOf(async () => {
        expect((await reserve(owner, envelopeId)).status).toBe(200);
      });
      counts.push(statements);
    }
    expect(Math.min(...counts)).toBeGreaterThan(5);
    // One of them reads whether the settings demand tax codes, because these components have none.
    expect(Math.min(...counts)).toBeLessThanOrEqual(15);
  });

  it('reservations with one Idempotency-Key are one; the key belongs to its trip', async () => {
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

/** Number of statements that requests sent during the work. */
async function statementsOf(work: () => Promise<void>): Promise<number> {
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  let count = 0;
  Reflect.set(pg.Client.prototype, 'query', function counted(this: pg.Client, ...args: unknown[]): unknown {
    if (findContext()?.actor) count += 1;
    const answer: unknown = Reflect.apply(query as () => unknown, this, args);
    return answer;
  });
  try {
    await work();
  } finally {
    Reflect.set(pg.Client.prototype, 'query', query);
  }
  return count;
}
