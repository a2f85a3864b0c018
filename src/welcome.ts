import type { Env } from './platform/config/env.js';

/** One line of progress: what was done and how long it took. */
export function printStep(title: string, milliseconds: number): void {
  process.stdout.write(`  ${title.padEnd(44)} ${(milliseconds / 1000).toFixed(1)} s\n`);
}

export function printWelcome(env: Env, _credentials: null): void {
  process.stdout.write(`Ready at ${env.baseUrl}\n`);
}
