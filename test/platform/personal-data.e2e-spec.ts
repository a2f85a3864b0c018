import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { COLUMN_CLASSES, personalDataPage } from '../../src/bootstrap/personal-data.js';
import { startApp, type TestApp } from '../setup/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** `table.column` of each column that can hold text or bytes. */
async function storedColumns(): Promise<string[]> {
  const rows = await app.sql<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public'
       and not (select relispartition from pg_class where oid = format('%I', table_name)::regclass) and data_type not in ('boolean', 'date', 'smallint', 'integer', 'bigint', 'numeric',
       'double precision', 'real', 'timestamp with time zone', 'timestamp without time zone', 'xid8', 'oid', 'interval')`,
  );
  return rows.map(({ name }) => name);
}

function declaredColumns(): string[] {
  return Object.entries(COLUMN_CLASSES).flatMap(([table, classes]) =>
    Object.values(classes).flatMap((columns) => columns.split(' ').map((column) => `${table}.${column}`)),
  );
}

describe('personal data', () => {
  it('every column that can hold text or bytes has a class of personal data or is declared impersonal', async () => {
    const declared = new Set(declaredColumns());
    const stored = await storedColumns();
    expect(stored.length).toBeGreaterThan(300);
    expect(stored.filter((name) => !declared.has(name))).toEqual([]);
  });

  it('no column is declared twice, and each declared column exists', async () => {
    const declared = declaredColumns();
    const stored = new Set(await storedColumns());
    expect(declared.filter((name, index) => declared.indexOf(name) !== index)).toEqual([]);
    // These exist only on a server with pgvector.
    const isOptional = (name: string) => name.startsWith('catalog_search_vector');
    expect(declared.filter((name) => !stored.has(name) && !isOptional(name))).toEqual([]);
  });

  it('docs/personal-data.md shows the declarations (npm run docs writes it)', () => {
    expect(readFileSync('docs/personal-data.md', 'utf8')).toBe(personalDataPage());
  });
});
