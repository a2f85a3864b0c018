import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../chaos/figures.js';
import { databaseKilled } from '../../chaos/scenarios/database-killed.js';
import { only, PLAYED_WITHIN_MS, playOnOwnServer } from './playing.js';

describe('a PostgreSQL that is killed by -9 twice while a client writes', () => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = only(await playOnOwnServer(databaseKilled));
  }, PLAYED_WITHIN_MS);

  it('costs nothing that was acknowledged, and nothing is done twice', () => {
    expect(outcome).toMatchObject({ cycles: 2, acknowledged: 80, lost: 0, duplicated: 0 });
  });

  it('is used again within five seconds of its return by the same process', () => {
    expect(outcome.recoverySeconds).toBeLessThan(5);
    expect(outcome.misses).toEqual([]);
  });
});
