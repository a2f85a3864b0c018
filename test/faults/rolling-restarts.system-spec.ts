import { expect, it } from '@jest/globals';
import { rollingRestarts } from '../../chaos/scenarios/rolling-restarts.js';
import { only, play, PLAYED_WITHIN_MS } from './playing.js';

it(
  'no request fails while one of two instances after the other is stopped and started again under load',
  async () => {
    const outcome = only(await play(rollingRestarts));
    expect(outcome).toMatchObject({ cycles: 2, misses: [] });
    expect(outcome.requests).toBeGreaterThan(100);
  },
  PLAYED_WITHIN_MS,
);
