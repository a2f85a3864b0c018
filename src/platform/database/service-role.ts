/** The rights of the service on a table; `update (column)` for a single column. */
export type TableRights = readonly string[];

/** Sends a statement over a connection of the owner, in its transaction if there is one. */
export type OwnerQuery = (text: string, parameters?: unknown[]) => Promise<unknown>;

interface Relation {
  schema: string;
  name: string;
  isSequence: boolean;
  isPartition: boolean;
  /** The rights that the role has now. */
  held: string[];
}

/** Schemas of the service and of the job queue. */
const SCHEMAS = ['public', 'graphile_worker'];

const RELATIONS = `
  select nspname as schema, relname as name, relkind = 'S' as "isSequence", relispartition as "isPartition",
    array(select lower(privilege_type) from aclexplode(relacl) where grantee = $2::regrole)
    || array(select format('%s (%s)', lower(privilege_type), attname)
             from pg_attribute, aclexplode(attacl) where attrelid = pg_class.oid and grantee = $2::regrole) as held
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where nspname = any ($1) and relkind in ('r', 'p', 'v', 'S')
  order by 1, 2`;

/** Functions that run with the rights of their owner. */
const DEFINER_FUNCTIONS = `
  select oid::regprocedure::text as function from pg_proc
  where prosecdef and pronamespace = any ($1::regnamespace[])
    and (has_function_privilege($2, oid, 'execute') is false
         or exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0))`;

const NO_SCHEMA = `
  select nspname as schema from pg_namespace where nspname = any ($1) and not has_schema_privilege($2, oid, 'usage')`;

/** Tables of the job queue: with row security, a role other than the owner sees no row without a policy. */
const WITHOUT_POLICY = `
  select oid::regclass::text as name from pg_class
  where relnamespace = any ($1::regnamespace[]) and relrowsecurity
    and not exists (select from pg_policy where polrelid = pg_class.oid and $2::regrole = any (polroles))`;

/**
 * Gives the role of the service exactly these rights on tables, and the use of sequences; the owner of the tables grants them.
 * Partitions get none: statements name the partitioned table, whose rights and triggers apply. Writes nothing if nothing
 * differs. Returns the statements that were needed.
 */
export async function grantServiceRights(
  query: OwnerQuery,
  role: string,
  rightsOf: (table: { schema: string; name: string }) => TableRights,
): Promise<string[]> {
  const grantee = quoted(role);
  const schemas = (await query(NO_SCHEMA, [SCHEMAS, role])) as { schema: string }[];
  const relations = (await query(RELATIONS, [SCHEMAS, grantee])) as Relation[];
  const functions = (await query(DEFINER_FUNCTIONS, [SCHEMAS, role])) as { function: string }[];
  const closed = (await query(WITHOUT_POLICY, [SCHEMAS, grantee])) as { name: string }[];
  const statements = [
    ...schemas.map(({ schema }) => `grant usage on schema ${quoted(schema)} to ${grantee}`),
    ...relations.flatMap((relation) => differences(relation, { grantee, rightsOf })),
    ...closed.map(({ name }) => `create policy service on ${name} to ${grantee} using (true) with check (true)`),
    ...functions.flatMap(({ function: name }) => [
      `revoke execute on function ${name} from public`,
      `grant execute on function ${name} to ${grantee}`,
    ]),
  ];
  // Several statements that are sent together are one transaction.
  if (statements.length > 0) await query(statements.join(';\n'));
  return statements;
}

function differences(
  { schema, name, isSequence, isPartition, held }: Relation,
  { grantee, rightsOf }: { grantee: string; rightsOf: (table: { schema: string; name: string }) => TableRights },
): string[] {
  const wanted = isPartition ? [] : isSequence ? ['usage', 'select'] : rightsOf({ schema, name });
  const object = `${isSequence ? 'sequence' : 'table'} ${quoted(schema)}.${quoted(name)}`;
  const missing = wanted.filter((right) => !held.includes(right));
  const excessive = held.filter((right) => !wanted.includes(right));
  return [
    // Runs first, because revoking a right on a table also revokes it on its columns.
    ...excessive.map((right) => `revoke ${right} on ${object} from ${grantee}`),
    ...(missing.length > 0 ? [`grant ${missing.join(', ')} on ${object} to ${grantee}`] : []),
  ];
}

function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
