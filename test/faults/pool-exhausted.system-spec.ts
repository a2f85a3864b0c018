import { expect, it } from '@jest/globals';
import { poolExhausted } from '../../chaos/scenarios/pool-exhausted.js';
import { only, play, PLAYED_WITHIN_MS } from './playing.js';

it(
  'more clients than connections are answered 503 within two seconds, health stays available, and everything recovers',
  async () => {
    const outcome = only(await play(poolExhausted));
    expect(outcome.misses).toEqual([]);
    expect(outcome.requests).toBeGreaterThan(50);
  },
  PLAYED_WITHIN_MS,
);
