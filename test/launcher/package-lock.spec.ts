import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Package {
  version?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  resolved?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const ROOT = join(import.meta.dirname, '../..');
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>;
};
const project = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Package;

const PLATFORMS = [
  { os: 'linux', cpu: 'x64', libc: 'glibc' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { os: 'darwin', cpu: 'x64', libc: undefined },
  { os: 'darwin', cpu: 'arm64', libc: undefined },
];

/**
 * The entry that `name` resolves to inside the package at `path`: the nearest node_modules that contains it, as in
 * Node.js.
 */
function resolve(path: string, name: string): Package | undefined {
  const folders = path.split('/node_modules/');
  for (let depth = folders.length; depth > 0; depth -= 1) {
    const found = packages[`${folders.slice(0, depth).join('/node_modules/')}/node_modules/${name}`];
    if (found) return found;
  }
  return packages[`node_modules/${name}`];
}

function requiredBy({ peerDependenciesMeta: peers = {}, ...entry }: Package): [string, string][] {
  const peerDependencies = Object.entries(entry.peerDependencies ?? {}).filter(([name]) => !peers[name]?.optional);
  return [
    ...Object.entries({ ...entry.dependencies, ...entry.devDependencies, ...entry.optionalDependencies }),
    ...peerDependencies,
  ];
}

function fits(entry: Package, { os, cpu, libc }: (typeof PLATFORMS)[number]): boolean {
  return (
    (entry.os?.includes(os) ?? true) &&
    (entry.cpu?.includes(cpu) ?? true) &&
    (libc === undefined ? entry.libc === undefined : (entry.libc?.includes(libc) ?? true))
  );
}

// `npm ci` rejects a lock file that lacks one package, also one of another platform. npm writes such a file without a
// warning if the registry does not have the package, for example because it is too new for a mirror.
describe('package-lock.json', () => {
  it('package-lock.json names the same direct dependencies as package.json', () => {
    const { dependencies, devDependencies } = packages[''] ?? {};
    expect({ dependencies, devDependencies }).toEqual({
      dependencies: project.dependencies,
      devDependencies: project.devDependencies,
    });
  });

  it('package-lock.json has an entry for each dependency of each package, native packages in the exact version', () => {
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      requiredBy(entry)
        .filter(([name, range]) => {
          const found = resolve(path, name);
          // Native packages are named by exact versions; other ranges can be overridden in package.json.
          const exact = name in (entry.optionalDependencies ?? {}) && /^\d+\.\d+\.\d+$/.test(range);
          return !found || (exact && found.version !== range);
        })
        .map(([name, range]) => `${path || 'the project'} needs ${name}@${range}`),
    );
    expect(missing).toEqual([]);
  });

  it.each(PLATFORMS)('package-lock.json has the native packages of $os $cpu', (platform) => {
    const families = Object.entries(packages).flatMap(([path, entry]) => {
      const natives = Object.keys(entry.optionalDependencies ?? {})
        .map((name) => resolve(path, name))
        .filter((each) => each?.os !== undefined && each.cpu !== undefined);
      // recheck has no package for linux arm64 and falls back to JavaScript, the only mode that the tests use.
      if (natives.length < 2 || path === 'node_modules/recheck') return [];
      return [{ path, complete: natives.some((each) => each && fits(each, platform)) }];
    });
    expect(families.map(({ path }) => path)).toContain('node_modules/@swc/core');
    expect(families.filter(({ complete }) => !complete)).toEqual([]);
  });

  it('package-lock.json contains no registry address', () => {
    expect(Object.keys(packages).filter((path) => packages[path]?.resolved !== undefined)).toEqual([]);
  });
});
