import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../chaos/figures.js';
import { databaseKilled } from '../../chaos/scenarios/database-killed.js';
import { only, PLAYED_WITHIN_MS, playOnOwnServer } from './playing.js';

describe('kill -9 of PostgreSQL, twice, while a client writes', () => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = only(await playOnOwnServer(databaseKilled));
  }, PLAYED_WITHIN_MS);

  it('kill -9 of PostgreSQL loses no acknowledged write and repeats none', () => {
    expect(outcome).toMatchObject({ cycles: 2, acknowledged: 80, lost: 0, duplicated: 0 });
  });

  it('the same process uses PostgreSQL again within five seconds of its return', () => {
    expect(outcome.recoverySeconds).toBeLessThan(5);
    expect(outcome.misses).toEqual([]);
  });
});
