import { expect, it } from '@jest/globals';
import { slowClients } from '../../chaos/scenarios/slow-clients.js';
import { only, play, PLAYED_WITHIN_MS } from './playing.js';

it(
  'hundreds of clients that send or read slowly, or send nothing, do not affect other clients',
  async () => {
    const outcome = only(await play(slowClients));
    expect(outcome.misses).toEqual([]);
    expect(outcome.requests).toBeGreaterThan(3);
  },
  PLAYED_WITHIN_MS,
);
