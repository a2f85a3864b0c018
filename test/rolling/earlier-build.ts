import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../launcher/folders.js';
import { closeAfterTests } from '../setup/running.js';

/** The files that a build reads. */
const SOURCES = ['src', 'scripts', 'ormconfig.ts', 'package.json', 'tsconfig.json', 'nest-cli.json'];
const BUILD_TOOLS = ['@nestjs/cli', 'typescript'];
const EMIT_ONLY = 'tsconfig.emit.json';

/** A folder with the build, or the reason why it cannot be made here. */
export type EarlierBuild = { root: string } | { reason: string };

interface Packages {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

/**
 * Builds a commit from its own sources with the installed packages, in a temporary folder. Not possible without git, in a
 * clone without that commit, and after one of its packages was replaced by another version.
 */
export async function buildOf(commit: string): Promise<EarlierBuild> {
  const found = await run('git', ['show', `${commit}:package.json`]);
  if (found.code !== 0) return { reason: `this folder has no git history with the commit ${commit}` };
  const missing = missingPackages(JSON.parse(found.output) as Packages);
  if (missing.length > 0)
    return { reason: `packages of the commit ${commit} are not installed (${missing.join(', ')})` };

  const root = mkdtempSync(join(tmpdir(), 'travel-earlier-'));
  closeAfterTests(async () => rmSync(root, { recursive: true, force: true }));
  const archive = join(root, 'sources.tar');
  await succeed('git', ['archive', '--format=tar', `--output=${archive}`, commit, ...SOURCES]);
  const sources = join(root, 'build');
  mkdirSync(sources);
  const unpacked = await run('tar', ['-xf', archive, '-C', sources]);
  if (unpacked.code !== 0) return { reason: 'the program tar is missing' };
  symlinkSync(join(PROJECT, 'node_modules'), join(sources, 'node_modules'));
  // The types of a commit have been checked when it was made.
  const settings = { extends: './tsconfig.json', compilerOptions: { noCheck: true, incremental: false } };
  writeFileSync(join(sources, EMIT_ONLY), JSON.stringify(settings));
  const nest = join(PROJECT, 'node_modules/@nestjs/cli/bin/nest.js');
  await succeed(process.execPath, [nest, 'build', '--path', EMIT_ONLY], sources);
  return { root: sources };
}

function missingPackages({ dependencies, devDependencies }: Packages): string[] {
  const tools = Object.entries(devDependencies).filter(([name]) => BUILD_TOOLS.includes(name));
  return [...Object.entries(dependencies), ...tools]
    .filter(([name, version]) => installedVersion(name) !== version)
    .map(([name, version]) => `${name} ${version}`);
}

function installedVersion(name: string): string | null {
  try {
    const file = join(PROJECT, 'node_modules', name, 'package.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  } catch {
    return null;
  }
}

async function succeed(program: string, words: string[], cwd = PROJECT): Promise<void> {
  const { code, output } = await run(program, words, cwd);
  if (code !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${code}:\n${output}`);
}

/** The code is -1 if the program is missing. */
async function run(program: string, words: string[], cwd = PROJECT): Promise<{ code: number; output: string }> {
  const child = spawn(program, words, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += String(text)));
  child.stderr.on('data', (text) => (output += String(text)));
  const code = await Promise.race([
    once(child, 'close').then(([ended]) => (ended as number | null) ?? -1),
    once(child, 'error').then(() => -1),
  ]).catch(() => -1);
  return { code, output };
}
