import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../chaos/figures.js';
import { serviceKilled } from '../../chaos/scenarios/service-killed.js';
import { only, play, PLAYED_WITHIN_MS } from './playing.js';

describe('kill -9 of the service, three times, while a client writes', () => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = only(await play(serviceKilled));
  }, PLAYED_WITHIN_MS);

  it('kill -9 of the service loses no acknowledged write, and repeated requests with their Idempotency-Key happen once', () => {
    expect(outcome).toMatchObject({ cycles: 3, acknowledged: 120, lost: 0, duplicated: 0 });
  });

  it('a killed service replays the same responses, publishes each event once and leaves a consistent ledger', () => {
    expect(outcome.misses).toEqual([]);
  });

  it('the service was killed during requests: some had to be repeated', () => {
    // More than the 120 writes and their 120 repetitions at the end.
    expect(outcome.requests).toBeGreaterThan(240);
  });
});
