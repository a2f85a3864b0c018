// @ts-check
import pg from 'pg';

const OWN = `n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`;
const NO_EXTENSION = (/** @type {string} */ catalog, /** @type {string} */ oid) =>
  `not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e')`;

/** Each lists objects of one kind as a name and a definition, which does not depend on the order of migrations. */
const KINDS = {
  tables: `
    select format('%I.%I', n.nspname, c.relname) as name,
      concat_ws(' ', c.relkind, c.relpersistence, case when c.relrowsecurity then 'row security' end,
        c.reloptions::text, pg_get_partkeydef(c.oid), pg_get_expr(c.relpartbound, c.oid)) as definition
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${OWN} and c.relkind in ('r', 'p') and ${NO_EXTENSION('pg_class', 'c.oid')}`,
  columns: `
    select format('%I.%I.%I', n.nspname, c.relname, a.attname) as name,
      concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
        case when a.attcollation <> t.typcollation then 'collate ' || (a.attcollation::regcollation)::text end,
        case a.attgenerated when '' then 'default ' else 'generated ' end || pg_get_expr(f.adbin, f.adrelid),
        case when a.attidentity <> '' then 'identity ' || a.attidentity::text end) as definition
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_type t on t.oid = a.atttypid
      left join pg_attrdef f on f.adrelid = a.attrelid and f.adnum = a.attnum
    where ${OWN} and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      and ${NO_EXTENSION('pg_class', 'c.oid')}`,
  // Nullability is compared with the columns; servers from version 18 list it here as well.
  constraints: `
    select format('%I.%I %I', n.nspname, coalesce(c.relname, t.typname), o.conname) as name,
      pg_get_constraintdef(o.oid) as definition
    from pg_constraint o join pg_namespace n on n.oid = o.connamespace
      left join pg_class c on c.oid = o.conrelid left join pg_type t on t.oid = o.contypid
    where ${OWN} and o.contype <> 'n' and ${NO_EXTENSION('pg_constraint', 'o.oid')}`,
  indexes: `
    select format('%I.%I', schemaname, indexname) as name, indexdef as definition
    from pg_indexes n where schemaname not in ('pg_catalog', 'information_schema') and schemaname not like 'pg\\_%'`,
  triggers: `
    select format('%I.%I %I', n.nspname, c.relname, g.tgname) as name,
      pg_get_triggerdef(g.oid) || ' ' || g.tgenabled::text as definition
    from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where ${OWN} and not g.tgisinternal`,
  functions: `
    select format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as name,
      pg_get_functiondef(p.oid) as definition
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where ${OWN} and p.prokind in ('f', 'p') and ${NO_EXTENSION('pg_proc', 'p.oid')}`,
  views: `
    select format('%I.%I', n.nspname, c.relname) as name, pg_get_viewdef(c.oid) as definition
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${OWN} and c.relkind in ('v', 'm') and ${NO_EXTENSION('pg_class', 'c.oid')}`,
  sequences: `
    select format('%I.%I', schemaname, sequencename) as name,
      concat_ws(' ', data_type, start_value, min_value, max_value, increment_by, cycle) as definition
    from pg_sequences n`,
  types: `
    select format('%I.%I', n.nspname, t.typname) as name,
      concat_ws(' ', t.typtype, format_type(nullif(t.typbasetype, 0), t.typtypmod),
        (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid))
        as definition
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where ${OWN} and t.typtype in ('e', 'd', 'r') and ${NO_EXTENSION('pg_type', 't.oid')}`,
  extensions: 'select extname as name, extversion as definition from pg_extension',
};

/** Their rows depend on how the migrations are divided into files. */
const BOOKKEEPING = ['public.migrations', 'public.migration_checksums'];

/**
 * The schema of a database that has been migrated and not yet used: its objects by kind, each with its definition, and
 * how many rows the migrations have inserted into each table.
 * @param {string} databaseUrl
 * @returns {Promise<Record<string, Record<string, string>>>}
 */
export async function schemaOf(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // Definitions name the schema of an object unless the search path finds it.
    await client.query('set search_path = pg_catalog');
    /** @type {Record<string, Record<string, string>>} */
    const schema = {};
    for (const [kind, statement] of Object.entries(KINDS)) schema[kind] = await definitions(client, statement);
    schema['rows after migration'] = await rowCounts(
      client,
      Object.keys(schema['tables'] ?? {}).filter((name) => !BOOKKEEPING.includes(name)),
    );
    return schema;
  } finally {
    await client.end();
  }
}

/** @param {pg.Client} client @param {string} statement */
async function definitions(client, statement) {
  /** @type {{ rows: { name: string, definition: string }[] }} */
  const { rows } = await client.query(statement);
  return Object.fromEntries(rows.map(({ name, definition }) => [name, normalized(definition)]));
}

/** Without comments and line breaks, which functions keep as they were written. @param {string} definition */
function normalized(definition) {
  return definition
    .replace(/--[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** @param {pg.Client} client @param {string[]} tables */
async function rowCounts(client, tables) {
  /** @type {Record<string, string>} */
  const counts = {};
  for (const table of tables) {
    const { rows } = await client.query(`select count(*)::text as count from ${table}`);
    counts[table] = rows[0].count;
  }
  return counts;
}
