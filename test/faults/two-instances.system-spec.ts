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

  it('two instances neither lose nor repeat the writes of a client while one of them is killed and restarted', () => {
    expect(killed).toMatchObject({ cycles: 1, acknowledged: 40, lost: 0, duplicated: 0, misses: [] });
  });

  it('a request that two instances receive eight times happens once: all responses are equal, or 409 while it is running', () => {
    expect(copied).toMatchObject({ lost: 0, duplicated: 0, misses: [] });
    // At least one response is expected for each of the 30 keys; eight copies of each were sent, and more until one got a
    // response.
    expect(copied?.acknowledged).toBeGreaterThanOrEqual(30);
    expect(copied?.requests).toBeGreaterThanOrEqual(270);
  });
});
