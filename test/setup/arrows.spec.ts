import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** A small tree of sources: each file with its imports. */
const tree: Record<string, string[]> = {
  'src/platform/clock/clock.ts': [],
  'src/platform/http/deep/answer.ts': [],
  'src/platform/bad.ts': ['../modules/vault/index.js'],
  'src/platform/errors/error.filter.ts': ['../context/surface.js'],
  'src/platform/context/surface.ts': ['../errors/app-error.js'],
  'src/platform/errors/app-error.ts': [],
  'src/modules/vault/index.ts': ['./keys/key.entity.js', '../../platform/clock/clock.js'],
  'src/modules/vault/keys/key.entity.ts': [],
  'src/modules/vault/keys/helpers.ts': [],
  'src/modules/vault/keys/wrapped/dek.ts': [],
  'src/modules/bookings/index.ts': [],
  'src/modules/bookings/items.ts': ['../finance/index.js'],
  'src/modules/finance/index.ts': ['../bookings/index.js', './a.js'],
  'src/modules/finance/a.ts': ['./b.js', '../bookings/items.js'],
  'src/modules/finance/b.ts': ['./a.js', './missing.js'],
  'src/modules/finance/books/index.ts': ['./number-series/next.js'],
  'src/modules/finance/books/number-series/next.ts': ['../../reports/index.js'],
  'src/modules/finance/books/number-series/deep/key.ts': [],
  'src/modules/finance/reports/index.ts': [],
  'src/modules/finance/reports/integrity.ts': ['../books/index.js', '../books/number-series/next.js'],
  'src/modules/finance/gifts/index.ts': [],
  'src/modules/loyalty/index.ts': [],
  'src/modules/realtime/live/feeds.ts': ['../messages/message.js'],
  'src/modules/realtime/live/cursor.ts': [],
  'src/modules/realtime/messages/message.ts': [],
  'src/modules/realtime/messages/log.ts': ['../live/cursor.js'],
  'src/search-engine/index.ts': ['../platform/clock/clock.js'],
  'src/search-engine/bm25.ts': [],
  'src/modules/catalog/search.ts': ['../../search-engine/index.js', '../../search-engine/bm25.js'],
  'src/modules/trips/trip.ts': ['../../search-engine/index.js'],
  'src/migrations/1-first.ts': ['../platform/clock/clock.js'],
  'src/app.module.ts': ['./modules/vault/index.js', './modules/vault/keys/key.entity.js', '../test/setup/app.js'],
  'test/setup/app.ts': [],
  'ormconfig.ts': ['./src/modules/finance/a.js'],
};

interface Violation {
  rule: { name: string };
  from: string;
  to: string;
}

describe('the import rules of modules', () => {
  const folder = mkdtempSync(join(tmpdir(), 'travel-arrows-'));
  const violations: string[] = [];

  beforeAll(() => {
    for (const [file, imports] of Object.entries(tree)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), [...imports.map((name) => `import '${name}';`), 'export {};'].join('\n'));
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { module: 'nodenext' } }));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const program = join(ROOT, 'node_modules/.bin/depcruise');
    for (const config of ['.dependency-cruiser.cjs', '.dependency-cruiser.folders.cjs']) {
      const args = [program, '--config', join(ROOT, config), '-T', 'json', 'src', 'ormconfig.ts'];
      const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
      const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } };
      violations.push(...summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`));
    }
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    'platform-knows-no-module: src/platform/bad.ts -> src/modules/vault/index.ts',
    'platform-layer-1: src/platform/errors/error.filter.ts -> src/platform/context/surface.ts',
    'platform-folders: src/platform/bad.ts -> src/modules/vault/index.ts',
    'folders-in-layers: src/modules/realtime/live -> src/modules/realtime/messages',
    'arrows-of-bookings: src/modules/bookings/items.ts -> src/modules/finance/index.ts',
    'search-engine-stands-alone: src/search-engine/index.ts -> src/platform/clock/clock.ts',
    'search-engine-entrance: src/modules/catalog/search.ts -> src/search-engine/bm25.ts',
    'search-engine-is-for-the-catalog: src/modules/trips/trip.ts -> src/search-engine/index.ts',
    'front-door: src/modules/finance/a.ts -> src/modules/bookings/items.ts',
    'front-door-from-outside: ormconfig.ts -> src/modules/finance/a.ts',
    'front-door-from-outside: src/app.module.ts -> src/modules/vault/keys/key.entity.ts',
    'parts-of-finance-books: src/modules/finance/books/number-series/next.ts -> src/modules/finance/reports/index.ts',
    'parts-of-finance-doors: src/modules/finance/reports/integrity.ts -> src/modules/finance/books/number-series/next.ts',
    'parts-of-finance: src/modules/finance/gifts/index.ts -> src/modules/finance/gifts/index.ts',
    'migrations-stand-alone: src/migrations/1-first.ts -> src/platform/clock/clock.ts',
    'no-cycles: src/modules/finance/a.ts -> src/modules/finance/b.ts',
    'nothing-from-tests: src/app.module.ts -> test/setup/app.ts',
    'resolvable: src/modules/finance/b.ts -> ./missing.js',
    'known-modules: src/modules/loyalty/index.ts -> src/modules/loyalty/index.ts',
    'depth: src/modules/vault/keys/wrapped/dek.ts -> src/modules/vault/keys/wrapped/dek.ts',
    'depth: src/modules/finance/books/number-series/deep/key.ts -> src/modules/finance/books/number-series/deep/key.ts',
    'depth: src/platform/http/deep/answer.ts -> src/platform/http/deep/answer.ts',
    'nameless: src/modules/vault/keys/helpers.ts -> src/modules/vault/keys/helpers.ts',
  ])('the import rules reject %s', (violation) => {
    expect(violations).toContain(violation);
  });

  it.each([
    'src/modules/finance/index.ts -> src/modules/bookings/index.ts',
    'src/modules/finance/reports/integrity.ts -> src/modules/finance/books/index.ts',
    'src/platform/context/surface.ts -> src/platform/errors/app-error.ts',
    'src/modules/bookings -> src/modules/finance',
    'src/modules/vault/index.ts -> src/platform/clock/clock.ts',
    'src/app.module.ts -> src/modules/vault/index.ts',
  ])('the import rules allow %s', (arrow) => {
    expect(violations.filter((violation) => violation.endsWith(arrow))).toEqual([]);
  });
});
