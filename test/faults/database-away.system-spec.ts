import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../chaos/figures.js';
import { databaseAway } from '../../chaos/scenarios/database-away.js';
import { play, PLAYED_WITHIN_MS } from './playing.js';

describe('a network to the database', () => {
  let outcomes: Outcome[];
  beforeAll(async () => {
    outcomes = await play(databaseAway);
  }, PLAYED_WITHIN_MS);
  const of = (mode: string) => outcomes.find(({ name }) => name === `database-away ${mode}`);

  it.each(['blackhole', 'refuse', 'reset'])(
    'with a network to the database that fails by %s, each surface answers 503 within two seconds and recovers within five',
    (mode) => {
      expect(of(mode)).toMatchObject({ requests: expect.any(Number), misses: [] });
    },
  );

  it.each(['latency', 'cut'])(
    'with a network to the database that fails by %s, requests succeed or are 503, and keyed writes happen exactly once',
    (mode) => {
      expect(of(mode)).toMatchObject({ acknowledged: 24, lost: 0, duplicated: 0, misses: [] });
    },
  );
});
