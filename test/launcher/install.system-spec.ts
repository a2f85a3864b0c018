import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { copyPrograms, packagedServer } from '../../scripts/embedded-postgres/programs.js';

import { freePort } from '../../scripts/ports.js';
import { newFolder, newProject, PROJECT, runScript } from './folders.js';

const OLD_NODE = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.4'}})`;

describe('a start with missing prerequisites', () => {
  const project = newProject();
  const ensure = join(project, 'scripts/ensure.js');
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('an old Node.js is reported with code 78 and the remedy', async () => {
    const script = runScript(project, ['--import', OLD_NODE, ensure]);
    expect(await script.end()).toBe(78);
    expect(script.output()).toContain(
      'ERROR   This is Node.js 18.20.4; the service needs 20.19, 22.12 or newer.\nREMEDY  Install',
    );
  });

  it('a linked node_modules is not changed', async () => {
    const script = runScript(project, [ensure], { npm_config_registry: 'http://127.0.0.1:9' });
    expect(await script.end()).toBe(0);
    expect(script.output()).toBe('');
  });

  it('an unreachable registry is reported as the reason, with code 69', async () => {
    rmSync(join(project, 'node_modules'));
    cpSync(join(PROJECT, 'package-lock.json'), join(project, 'package-lock.json'));
    const script = runScript(project, [ensure], {
      npm_config_registry: `http://127.0.0.1:${await freePort()}`,
      npm_config_cache: join(project, 'empty-cache'),
      npm_config_fetch_retries: '0',
    });
    expect(await script.end()).toBe(69);
    expect(script.output()).toMatch(/^installing the packages of package-lock\.json, about \d+ MB \.* failed$/m);
    expect(script.output()).toContain('ECONNREFUSED');
    expect(script.output()).toContain(
      'ERROR   The npm registry could not be reached, or does not provide the packages.',
    );
    expect(existsSync(join(project, 'node_modules/.installed'))).toBe(false);
  });

  it('a start that cannot succeed is rejected before anything is installed', async () => {
    // Otherwise it is a production tree, in which nothing is installed.
    mkdirSync(join(project, 'src'));
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const start = (env: NodeJS.ProcessEnv) =>
      runScript(project, [join(project, 'scripts/platform.js'), 'start'], { npm_config_offline: 'true', ...env });
    const rejected: [NodeJS.ProcessEnv, string][] = [
      [{ NODE_ENV: 'production' }, 'ERROR   DATABASE_URL is missing: with NODE_ENV=production no embedded database'],
      [{ PORT: String(port) }, `ERROR   Port ${port} is in use by another program.`],
      [{ HOST: '192.0.2.1' }, 'ERROR   The service cannot listen on 192.0.2.1 (EADDRNOTAVAIL).'],
    ];
    for (const [env, error] of rejected) {
      const script = start(env);
      expect([await script.end(), script.output()]).toEqual([78, expect.stringContaining(error)]);
      expect(script.output()).not.toContain('installing');
    }
    other.close();
  });

  it('a lock file that lacks packages is rejected with code 78 and the remedy, and nothing is installed', async () => {
    const lock = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as { packages: object };
    const packages = Object.entries(lock.packages).filter(([path]) => path !== 'node_modules/@swc/core-darwin-arm64');
    writeFileSync(
      join(project, 'package-lock.json'),
      JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }),
    );
    const registry = createServer((_, response) => response.writeHead(404).end('{}')).listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const script = runScript(project, [ensure], {
      npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}`,
      npm_config_cache: join(project, 'empty-cache'),
      npm_config_fetch_retries: '0',
    });
    expect(await script.end()).toBe(78);
    registry.close();
    expect(script.output()).toContain('Missing: @swc/core-darwin-arm64@');
    expect(script.output()).toContain('ERROR   npm rejects package-lock.json: it does not fit package.json,');
    expect(script.output()).toContain('REMEDY  Restore both files');
    expect(existsSync(join(project, 'node_modules'))).toBe(false);
  });

  it('the PostgreSQL programs run from a copy that everybody may read', () => {
    const copy = join(project, 'programs/postgres');
    copyPrograms(packagedServer().native, copy);
    const { stdout } = spawnSync(join(copy, 'bin/postgres'), ['--version'], { encoding: 'utf8' });
    expect(stdout).toMatch(/^postgres \(PostgreSQL\) 18\.\d+/);
    expect(statSync(copy).mode & 0o777).toBe(0o755);
    expect(existsSync(join(copy, 'lib/libpq.a'))).toBe(false);
  });

  it('a folder of programs that other users can write to is not used', () => {
    const copy = join(newFolder(), 'postgres');
    mkdirSync(copy);
    chmodSync(copy, 0o777);
    expect(() => copyPrograms(packagedServer().native, copy)).toThrow(`${copy} can be written by others`);
    rmSync(join(copy, '..'), { recursive: true });
  });
});
