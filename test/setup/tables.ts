import { createHash } from 'node:crypto';
import type { TestApp } from './app.js';

interface Table {
  name: string;
  columns: string;
}

/**
 * Returns every table of the database, including the job queue's but no partitions, with all columns except the time of the
 * last use of a credential.
 */
async function tablesOf(app: TestApp): Promise<Table[]> {
  return app.sql<Table>(
    `select format('%I.%I', c.table_schema, c.table_name) as name,
       string_agg(quote_ident(c.column_name), ', ' order by c.ordinal_position)
         filter (where c.column_name <> 'last_used_at') as columns
     from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     join pg_class r on r.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
     where t.table_type = 'BASE TABLE' and c.table_schema not in ('pg_catalog', 'information_schema')
       and not r.relispartition
     group by 1 order by 1`,
  );
}

/**
 * A digest of the whole content of each table, by the name of the table: equal digests before and after mean that
 * nothing has changed.
 */
export async function contents(app: TestApp): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const { name, columns } of await tablesOf(app)) {
    const rows = await app.sql<{ row: string }>(
      `select row::text as row from (select ${columns} from ${name}) as row order by 1`,
    );
    const text = rows.map(({ row }) => row).join('\n');
    digests[name] = `${rows.length} rows, ${createHash('sha256').update(text).digest('hex')}`;
  }
  return digests;
}

/** Tables that contain one of the texts in any column: as text, or its bytes in hex or base64. */
export async function tablesWith(app: TestApp, texts: readonly string[]): Promise<string[]> {
  const forms = texts.flatMap((text) => [
    text,
    Buffer.from(text).toString('hex'),
    Buffer.from(text).toString('base64'),
  ]);
  const patterns = forms.map((form) => `%${form.replace(/[\\%_]/g, '\\$&')}%`);
  const found: string[] = [];
  for (const { name } of await tablesOf(app)) {
    const rows = await app.sql(`select from ${name} as row where row::text like any ($1) limit 1`, [patterns]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** Every row that contains the text, as text. */
export async function rowsWith(app: TestApp, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await tablesOf(app)) {
    const sql = `select row::text as row from ${name} as row where strpos(row::text, $1) > 0`;
    found.push(...(await app.sql<{ row: string }>(sql, [text])).map(({ row }) => row));
  }
  return found;
}
