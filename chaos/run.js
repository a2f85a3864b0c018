#!/usr/bin/env node
// @ts-check
import { heading, tableLine } from './figures.js';
import { scenarios } from './scenarios.js';
import { startWorld } from './world.js';

/*
 * npm run chaos [-- <part of a scenario's name> ...] [--long]: injects faults into the service and its own PostgreSQL, and
 * prints a line per scenario. The exit code is 1 if a requirement is not met.
 */
const words = process.argv.slice(2);
const size = words.includes('--long') ? 'long' : 'short';
const wanted = words.filter((word) => !word.startsWith('--'));
const chosen = scenarios.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (chosen.length === 0 || words.some((word) => word.startsWith('--') && word !== '--long')) {
  const names = scenarios.map(({ name, title }) => `  ${name.padEnd(20)} ${title}\n`).join('');
  process.stderr.write(`npm run chaos [-- <part of a name> ...] [--long]\n${names}`);
  process.exit(2);
}

let misses = 0;
const world = await startWorld();
process.once('SIGINT', () => void world.end().finally(() => process.exit(130)));
try {
  process.stdout.write(heading);
  for (const scenario of chosen) {
    for (const outcome of await attempt(scenario)) {
      misses += outcome.misses.length;
      process.stdout.write(tableLine(outcome));
    }
  }
} finally {
  await world.end();
}
process.exitCode = misses === 0 ? 0 : 1;

/** A scenario that fails to run is a miss, and the others still run. @param {import('./figures.js').Scenario} scenario */
async function attempt(scenario) {
  try {
    return await scenario.run(world, scenario[size]);
  } catch (error) {
    const { stack } = /** @type {Error} */ (error);
    return [{ name: scenario.name, requests: 0, misses: [stack ?? String(error)] }];
  }
}
