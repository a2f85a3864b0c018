import { expect, it } from '@jest/globals';
import { slowClients } from '../../chaos/scenarios/slow-clients.js';
import { only, play, PLAYED_WITHIN_MS } from './playing.js';

it(
  'hundreds of clients that send headers and bodies slowly, do not read or say nothing take nothing from the others',
  async () => {
    const outcome = only(await play(slowClients));
    expect(outcome.misses).toEqual([]);
    expect(outcome.requests).toBeGreaterThan(3);
  },
  PLAYED_WITHIN_MS,
);
