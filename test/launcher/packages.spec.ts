import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { billOfMaterials, licenceFaults } from '../../scripts/sbom.js';
import { PROJECT } from './folders.js';

interface Locked {
  dev?: boolean;
  devOptional?: boolean;
  version?: string;
  hasInstallScript?: boolean;
}

const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const { allowScripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  allowScripts: Record<string, boolean>;
};
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const { compilerOptions } = JSON.parse(readFileSync(join(PROJECT, 'nest-cli.json'), 'utf8')) as {
  compilerOptions: { assets: { include: string }[] };
};
/** The packages of which the build copies files, each of them or all of a scope. */
const copied = compilerOptions.assets.flatMap(
  ({ include }) => /^\.\.\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(include)?.[1] ?? [],
);
const isCopied = (path: string) =>
  copied.some((name) => `node_modules/${name}` === path || `node_modules/${name}` === join(path, '../*'));

describe('the packages of the service', () => {
  it('npm run sbom lists every package of production with a permitted licence', async () => {
    const bill = await billOfMaterials();
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'travel-operations-platform', type: 'application' } },
    });
    const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
    const production = Object.entries(packages).filter(
      ([path, { dev, devOptional }]) => path && ((!dev && !devOptional) || isCopied(path)),
    );
    expect(Object.keys(packages).filter(isCopied)).toHaveLength(5);
    const missing = production.map(([path, { version }]) => `${nameOf(path)}@${version}`);
    expect(missing.length).toBeGreaterThan(150);
    expect(missing.filter((name) => !listed.has(name))).toEqual([]);
    expect(licenceFaults(bill.components)).toEqual([]);
  }, 30_000);

  it.each([
    ['GPL-3.0-only'],
    ['AGPL-3.0-or-later'],
    ['BUSL-1.1'],
    ['MIT AND GPL-2.0-only'],
    ['SEE LICENSE IN README'],
    [''],
  ])('npm run sbom reports a package with the licence %s', (expression) => {
    const licenses = expression === '' ? [] : [{ expression }];
    expect(licenceFaults([{ name: 'found', version: '1.0.0', licenses }])).toEqual([
      expect.stringMatching(/^found@1\.0\.0: /),
    ]);
  });

  it.each(['MIT', 'MIT OR GPL-3.0-only', '(MIT AND Zlib)'])('npm run sbom accepts the licence %s', (expression) => {
    expect(licenceFaults([{ name: 'found', version: '1.0.0', licenses: [{ expression }] }])).toEqual([]);
  });

  it('no package may run an install script', () => {
    const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    const undeclared = scripted.filter(([path]) => allowScripts[nameOf(path)] !== false);
    expect(undeclared.map(([path]) => nameOf(path))).toEqual([]);
    expect(Object.entries(allowScripts).filter(([, allowed]) => allowed)).toEqual([]);
  });
});
