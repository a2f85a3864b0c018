import { describe, expect, it } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { historyFault, knownMigrations } from './migration-history.js';

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

describe('the migrations that were applied to a database', () => {
  const known = ['A', 'B', 'C'].map((name) => ({ name, checksum: name.toLowerCase() }));
  const [a, b, c] = known.map(({ name, checksum }) => ({ name, checksum }));

  it('the applied migrations are in the order of their timestamps, as TypeORM runs them', async () => {
    const migrations = ['B1790000000010', 'A1790000000020', 'C1790000000000'].map((name) =>
      migrationOf(name, async () => undefined),
    );
    const names = (await knownMigrations(migrations)).map(({ name }) => name);
    expect(names).toEqual(['C1790000000000', 'B1790000000010', 'A1790000000020']);
  });

  it.each([
    ['none', []],
    ['the first ones', [a, b]],
    ['all', [a, b, c]],
  ])('applied migrations are accepted: %s of them', (_name, applied) => {
    expect(
      historyFault(
        applied.flatMap((row) => row ?? []),
        known,
      ),
    ).toBeNull();
  });

  it.each([
    [
      'an unknown one',
      [a, { name: 'X', checksum: 'x' }],
      /^the migration X was applied, which this build does not know/,
    ],
    ['one without a checksum', [a, { name: 'B', checksum: null }], /^the migration B was applied without a checksum/],
    [
      'one with another checksum',
      [{ name: 'A', checksum: 'x' }, b],
      /^the migration A has changed since it was applied/,
    ],
    ['a later one before an earlier one', [a, c], /^the migration B was not applied, but later migrations were/],
  ])('applied migrations are rejected with their name and a remedy: %s', (_name, applied, fault) => {
    const found = historyFault(
      applied.flatMap((row) => row ?? []),
      known,
    );
    expect(found).toMatch(fault);
    expect(found).toMatch(/; .*npm run reset/);
  });
});
