import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Runs a command of the built service as an operator does, on this worker's database unless `env` names another. */
export async function runCommand(
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'dist/src/commands.js'), ...words], {
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
