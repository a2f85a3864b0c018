import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome, Scenario } from '../../chaos/figures.js';
import { startWorld, type World, worldOn } from '../../chaos/world.js';

/** Longer than any short scenario takes on a busy machine. */
export const PLAYED_WITHIN_MS = 180_000;

/** Runs the short scenario on the database of this test file. */
export async function play(scenario: Scenario): Promise<Outcome[]> {
  const folder = await mkdtemp(join(tmpdir(), 'travel-faults-'));
  const world = worldOn(process.env, { folder, credentialsFile: process.env['TEST_CREDENTIALS'] ?? '' });
  try {
    return await playOn(world, scenario);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the short scenario on a separate durable server, which may be killed. */
export async function playOnOwnServer(scenario: Scenario): Promise<Outcome[]> {
  return playOn(await startWorld(), scenario);
}

/** A different number of result lines means that an unexpected scenario ran. */
export function only([outcome, ...others]: Outcome[]): Outcome {
  if (!outcome || others.length > 0) throw new Error('The scenario has another number of outcomes than one');
  return outcome;
}

async function playOn(world: World, scenario: Scenario): Promise<Outcome[]> {
  try {
    return await scenario.run(world, scenario.short);
  } finally {
    await world.end();
  }
}
