import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { npmCommand } from '../../scripts/install.js';
import { runProgram } from './folders.js';

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'travel-operations-platform/node');

/**
 * The program of a major version of Node.js: the one that runs this test, or the newest one in a package of the npm registry, kept
 * in a folder of the user between runs. These packages contain the official binary and have no install script, unlike `node`, which
 * installs them by a script. Null if the registry does not provide it.
 */
export async function nodeOf(major: number): Promise<string | null> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  // Macs with Apple silicon have another prefix.
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${process.platform}-${process.arch}`;
  const folder = join(CACHE, String(major));
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;

  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, 'draft-'));
  const flags = ['--prefix', draft, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await runProgram([...npmCommand(), 'install', ...flags, `${name}@${major}`], draft).end();
  // Another run may have been faster.
  if (existsSync(join(draft, 'node_modules', name, 'bin/node')) && !existsSync(folder)) renameSync(draft, folder);
  rmSync(draft, { recursive: true, force: true });
  return existsSync(program) ? program : null;
}
