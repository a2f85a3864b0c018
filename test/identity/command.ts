import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The words that start the command line on the current build. */
export const PLATFORM = [process.execPath, join(import.meta.dirname, '../../scripts/built-platform.js')];

export interface CommandResult {
  code: number;
  /** The output of both streams. */
  output: string;
}

/** Runs a command as an operator does, on this worker's database unless `env` names another. */
export async function runCommand(words: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
  const [program = '', ...script] = PLATFORM;
  const child = spawn(program, [...script, ...words], {
    // Another database has one role.
    env: { ...process.env, ...('DATABASE_URL' in env ? { MIGRATION_DATABASE_URL: '' } : {}), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += String(text)));
  child.stderr.on('data', (text) => (output += String(text)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, output };
}
