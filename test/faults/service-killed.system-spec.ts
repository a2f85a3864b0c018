import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../chaos/figures.js';
import { serviceKilled } from '../../chaos/scenarios/service-killed.js';
import { only, play, PLAYED_WITHIN_MS } from './playing.js';

describe('a service that is killed by -9 three times while a client writes', () => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = only(await play(serviceKilled));
  }, PLAYED_WITHIN_MS);

  it('loses nothing that it acknowledged, and does nothing twice that is sent again with its Idempotency-Key', () => {
    expect(outcome).toMatchObject({ cycles: 3, acknowledged: 120, lost: 0, duplicated: 0 });
  });

  it('answers repetitions as before, publishes each event once, and leaves a ledger whose chains hold', () => {
    expect(outcome.misses).toEqual([]);
  });

  it('was killed amid requests: some had to be sent again', () => {
    // Beyond the 120 writes and their 120 repetitions at the end.
    expect(outcome.requests).toBeGreaterThan(240);
  });
});
