import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { personalDataPage } from '../../src/bootstrap/personal-data.js';
import { declaredClasses } from '../../src/platform/database/table-declarations.js';
import { startApp, type TestApp } from '../setup/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** Types without text or bytes. A date can be personal, but only a declaration says so. */
const OTHER_TYPES = [
  ...['boolean', 'date', 'smallint', 'integer', 'bigint', 'numeric', 'double precision', 'real'],
  ...['timestamp with time zone', 'timestamp without time zone', 'xid8', 'oid', 'interval'],
];

/** `table.column` of each column that has none of these types. */
async function columnsWithout(types: readonly string[]): Promise<string[]> {
  const rows = await app.sql<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and data_type <> all ($1)
       and not (select relispartition from pg_class where oid = format('%I', table_name)::regclass)`,
    [types],
  );
  return rows.map(({ name }) => name);
}

/** Ends of the names of columns that contain ids, codes, states or texts about no person, unless they say otherwise. */
const IMPERSONAL =
  /(^|_)(id|ids|status|kind|types?|currency|codes?|sha256|hash|digest|keys?|language|languages|locale|country|zone|scopes|roles|state|model|version|source|role|method|direction|basis|outcome|number|mode|purpose|action|slug|capabilities|trigger|fields|warnings|lines|steps|treatment|operation|series|event|channel|day|rate|scope|vertical|market|by|token|public_id|refs?|surface|terms|period|policy|pattern|format|group|vector|embedding)$/;

describe('personal data', () => {
  it('every column that can hold text or bytes declares its class or that it is impersonal, unless its name shows it', async () => {
    const declared = declaredClasses();
    const stored = await columnsWithout(OTHER_TYPES);
    expect(stored.length).toBeGreaterThan(300);
    const isKnown = (name: string) => declared.has(name) || IMPERSONAL.test(name.slice(name.indexOf('.') + 1));
    expect(stored.filter((name) => !isKnown(name))).toEqual([]);
  });

  it('each declared column exists, and nothing is declared impersonal whose name shows it', async () => {
    const declared = [...declaredClasses()];
    const stored = new Set(await columnsWithout([]));
    // These exist only on a server with pgvector.
    const isOptional = (name: string) => name.startsWith('catalog_search_vector');
    expect(declared.filter(([name]) => !stored.has(name) && !isOptional(name))).toEqual([]);
    const isNeedless = ([name, dataClass]: [string, string]) =>
      dataClass === 'impersonal' && IMPERSONAL.test(name.slice(name.indexOf('.') + 1));
    expect(declared.filter(isNeedless)).toEqual([]);
  });

  it('docs/personal-data.md shows the declarations (npm run docs writes it)', () => {
    expect(readFileSync('docs/personal-data.md', 'utf8')).toBe(personalDataPage());
  });
});
