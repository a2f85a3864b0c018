import { describe, expect, it } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { compareSchema, knownMigrations } from './migration-history.js';

const migrationOf = (name: string, up: (runner: QueryRunner) => Promise<unknown>): MigrationInterface => ({
  name,
  up: async (runner) => void (await up(runner)),
  down: async () => undefined,
});

async function checksumOf(up: (runner: QueryRunner) => Promise<unknown>): Promise<string> {
  const [known] = await knownMigrations([migrationOf('A1790000000000', up)]);
  return known?.checksum ?? '';
}

describe('the checksum of a migration', () => {
  it('the checksum of a migration is the same for the same statements, however their code is written', async () => {
    const loop = async (runner: QueryRunner) => {
      // A comment in the code, and a loop.
      for (const table of ['a', 'b']) await runner.query(`drop table ${table}`);
    };
    const lines = async (runner: QueryRunner) => {
      await runner.query('drop table a');
      await runner.query('drop table b');
    };
    expect(await checksumOf(loop)).toMatch(/^[0-9a-f]{64}$/);
    expect(await checksumOf(lines)).toBe(await checksumOf(loop));
  });

  it('the checksum of a migration changes with a statement, its parameters or their order', async () => {
    const checksums = await Promise.all([
      checksumOf((runner) => runner.query('drop table a')),
      checksumOf((runner) => runner.query('drop table a -- edited')),
      checksumOf((runner) => runner.query('drop table a', [1])),
      checksumOf((runner) => runner.query('drop table a').then(() => runner.query('drop table b'))),
      checksumOf((runner) => runner.query('drop table b').then(() => runner.query('drop table a'))),
    ]);
    expect(new Set(checksums).size).toBe(checksums.length);
  });

  it('the checksum of a migration that does more than send statements is rejected', async () => {
    await expect(checksumOf((runner) => runner.dropTable('a'))).rejects.toThrow(/A1790000000000 uses dropTable/);
  });
});

describe('the schema of a database, compared with what a build needs', () => {
  const nameAt = (letter: string, second: number) => `${letter}17900000000${second}0`;
  const [A, B, C, NEWER] = [nameAt('A', 1), nameAt('B', 2), nameAt('C', 3), nameAt('Newer', 9)];
  const known = [A, B, C].map((name) => ({ name, checksum: name.toLowerCase() }));
  const [a, b, c] = known.map(({ name, checksum }) => ({ name, checksum }));
  const newer = { name: NEWER, checksum: 'of the newer build' };
  const BUILD = 1_790_000_000_030;

  const compared = (applied: ({ name: string; checksum: string | null } | undefined)[], oldestBuild: number | null) =>
    compareSchema({ applied: applied.flatMap((row) => row ?? []), oldestBuild }, known);

  it('the applied migrations are in the order of their timestamps, as TypeORM runs them', async () => {
    const migrations = ['B1790000000010', 'A1790000000020', 'C1790000000000'].map((name) =>
      migrationOf(name, async () => undefined),
    );
    const names = (await knownMigrations(migrations)).map(({ name }) => name);
    expect(names).toEqual(['C1790000000000', 'B1790000000010', 'A1790000000020']);
  });

  it('a schema that lacks migrations of the build is older and names them; one with all of them is current', () => {
    expect(compared([], null)).toEqual({ state: 'older', pending: [A, B, C] });
    expect(compared([a], null)).toEqual({ state: 'older', pending: [B, C] });
    expect(compared([a, b, c], BUILD)).toEqual({ state: 'current' });
  });

  it('a schema with migrations of a newer build is newer, unless it excludes the build', () => {
    expect(compared([a, b, c, newer], BUILD)).toEqual({ state: 'newer', additional: [NEWER] });
    expect(compared([a, b, c, newer], BUILD - 10)).toEqual({ state: 'newer', additional: [NEWER] });
    expect(compared([a, b, c, newer], BUILD + 1)).toEqual({
      state: 'unusable',
      fault: `its schema excludes builds older than ${BUILD + 1}, and this build has version ${BUILD}; start a newer build`,
    });
  });

  it.each([
    [
      'an unknown one that is not newer than the build',
      [a, { name: nameAt('X', 2), checksum: 'x' }, b],
      /^the migration X1790000000020 was applied, which this build does not know/,
    ],
    [
      'one without a checksum',
      [a, { name: B, checksum: null }],
      /^the migration B1790000000020 was applied without a checksum/,
    ],
    [
      'one with another checksum',
      [{ name: A, checksum: 'x' }, b],
      /^the migration A1790000000010 has changed since it was applied/,
    ],
    [
      'a later one before an earlier one',
      [a, c],
      /^the migration B1790000000020 was not applied, but later migrations were/,
    ],
    [
      'one of a newer build before one of this build',
      [a, b, newer],
      /^the migration C1790000000030 was not applied, but later migrations were/,
    ],
  ])('applied migrations are rejected with their name and a remedy: %s', (_name, applied, fault) => {
    const found = compared(applied, BUILD);
    expect(found).toEqual({ state: 'unusable', fault: expect.stringMatching(fault) });
    expect(found).toEqual({
      state: 'unusable',
      fault: expect.stringMatching(/; use the build .* or use a new database$/),
    });
  });

  it('a newer migration is rejected if the schema does not store which builds may run on it', () => {
    const fault = expect.stringMatching(
      /^the migration Newer1790000000090 was applied, which this build does not know/,
    );
    expect(compared([a, b, c, newer], null)).toEqual({ state: 'unusable', fault });
  });
});
