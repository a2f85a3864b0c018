import { expect, it } from '@jest/globals';
import { rollingRestarts } from '../../chaos/scenarios/rolling-restarts.js';
import { only, play, PLAYED_WITHIN_MS } from './playing.js';

it(
  'no request fails while two instances are restarted one after the other under load',
  async () => {
    const outcome = only(await play(rollingRestarts));
    expect(outcome).toMatchObject({ cycles: 2, misses: [] });
    expect(outcome.requests).toBeGreaterThan(100);
  },
  PLAYED_WITHIN_MS,
);
