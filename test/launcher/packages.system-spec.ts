import { afterAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { INSTALLED_MB } from '../../scripts/install.js';
import { freePort } from '../../scripts/ports.js';
import { newFolder, PROJECT, runScript } from './folders.js';

const MARK = `node -e "require('fs').writeFileSync('MARK', '')"`;
const EXPRESS = { name: 'express', 'dist-tags': { latest: '5.3.0' }, versions: { '5.3.0': { version: '5.3.0' } } };

const folders: string[] = [];

/** Makes a clone with one local package; both have an install script that creates a file. */
function scriptedProject(): string {
  const folder = newFolder();
  folders.push(folder);
  const write = (file: string, content: object) => writeFileSync(join(folder, file), JSON.stringify(content));
  cpSync(join(PROJECT, 'scripts'), join(folder, 'scripts'), { recursive: true });
  mkdirSync(join(folder, 'greedy'));
  const scripts = { postinstall: MARK };
  write('greedy/package.json', { name: 'greedy', version: '1.0.0', scripts });
  const project = { name: 'project', version: '1.0.0', type: 'module', dependencies: { greedy: 'file:greedy' } };
  write('package.json', { ...project, scripts });
  const linked = { 'node_modules/greedy': { resolved: 'greedy', link: true } };
  const packages = { '': project, greedy: { version: '1.0.0', hasInstallScript: true }, ...linked };
  write('package-lock.json', { name: 'project', version: '1.0.0', lockfileVersion: 3, packages });
  return folder;
}

describe('the packages of a clone', () => {
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('a start says correctly how much it installs', () => {
    const packages = ['-sk', '--exclude=.cache', join(PROJECT, 'node_modules')];
    const measuredMb = Number(execFileSync('du', packages).toString().split('\t')[0]) / 1024;
    expect(Math.abs(measuredMb - INSTALLED_MB)).toBeLessThan(INSTALLED_MB / 10);
  });

  it('the installation runs no script of a package', async () => {
    const project = scriptedProject();
    const script = runScript(project, [join(project, 'scripts/ensure.js')], { npm_config_offline: 'true' });
    expect([await script.end(), script.output()]).toEqual([0, script.output()]);
    expect(existsSync(join(project, 'node_modules/greedy/package.json'))).toBe(true);
    expect([existsSync(join(project, 'MARK')), existsSync(join(project, 'greedy/MARK'))]).toEqual([false, false]);
  });

  it('npm run audit fails for a vulnerability of severity high in a package of production', async () => {
    const advisory = { id: 1, url: 'https://advisories.test/1', title: 'Test', vulnerable_versions: '<99' };
    const asked: string[] = [];
    const registry = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const isAdvisories = request.url === '/-/npm/v1/security/advisories/bulk';
      const known = isAdvisories ? { express: [{ ...advisory, severity: 'high' }] } : EXPRESS;
      response.writeHead(isAdvisories || request.url === '/express' ? 200 : 404).end(JSON.stringify(known));
    });
    registry.listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const { port } = registry.address() as AddressInfo;
    const script = runScript(PROJECT, [join(PROJECT, 'scripts/audit.js')], {
      npm_config_registry: `http://127.0.0.1:${port}`,
      npm_config_cache: newCache(),
    });
    expect([await script.end(), script.output()]).toEqual([
      1,
      expect.stringMatching(/^npm audit: [1-9]\d* high, 0 critical/),
    ]);
    registry.close();
    expect(asked[0]).toBe('POST /-/npm/v1/security/advisories/bulk');
  });

  it('npm run audit reports that it was not run if the registry does not answer', async () => {
    const script = runScript(PROJECT, [join(PROJECT, 'scripts/audit.js')], {
      npm_config_registry: `http://127.0.0.1:${await freePort()}`,
      npm_config_cache: newCache(),
    });
    expect([await script.end(), script.output()]).toEqual([0, 'not run: npm audit (the registry has no answer)\n']);
  });
});

function newCache(): string {
  const folder = newFolder();
  folders.push(folder);
  return folder;
}
