import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../chaos/figures.js';
import { twoInstances } from '../../chaos/scenarios/two-instances.js';
import { play, PLAYED_WITHIN_MS } from './playing.js';

describe('two instances on one database', () => {
  let killed: Outcome | undefined;
  let copied: Outcome | undefined;
  beforeAll(async () => {
    [killed, copied] = await play(twoInstances);
  }, PLAYED_WITHIN_MS);

  it('lose and double nothing that a client writes to both, while one of them is killed and comes back', () => {
    expect(killed).toMatchObject({ cycles: 1, acknowledged: 40, lost: 0, duplicated: 0, misses: [] });
  });

  it('carry out a request once of which eight copies reach them: all answers are equal, or 409 while it is running', () => {
    expect(copied).toMatchObject({ lost: 0, duplicated: 0, misses: [] });
    // One answer of each of the 30 keys at least; eight copies of each were sent, and more until it was answered.
    expect(copied?.acknowledged).toBeGreaterThanOrEqual(30);
    expect(copied?.requests).toBeGreaterThanOrEqual(270);
  });
});
