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
    'in which there is %s has every surface refuse by 503 within two seconds, the process live, and ready within five',
    (mode) => {
      expect(of(mode)).toMatchObject({ requests: expect.any(Number), misses: [] });
    },
  );

  it.each(['latency', 'cut'])(
    'in which there is %s has requests done or refused by 503, and each write with a key done exactly once',
    (mode) => {
      expect(of(mode)).toMatchObject({ acknowledged: 24, lost: 0, duplicated: 0, misses: [] });
    },
  );
});
