import type { ClientBase } from 'pg';
import { IDENTITY } from './primary-positions.js';
import { processIdOf } from './service-pool.js';

/** The limits that the service requests for each of its connections; a pooler may ignore them. */
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
const ROUNDS = 8;
/** Duplicate prepared statement, and one that does not exist. */
const NOT_PREPARED = ['42P05', '26000'];

const PLACE = `
  select ${IDENTITY}, current_user as role,
    (select json_object_agg(name, setting::int) from pg_settings where name = any ($1)) as limits`;

interface Place {
  system: string;
  database: string;
  role: string;
  limits: Record<string, number>;
}

/** Why connections cannot be used, and what is expected instead. */
export interface ConnectionFault {
  fault: string;
  expected: string;
}

/** Whether something between the client and the server answers for it, so that the client does not know its server process. */
export async function isPooled(client: ClientBase): Promise<boolean> {
  return (await serverProcess(client)) !== processIdOf(client);
}

/**
 * Whether a pooler in transaction mode is between the connections and the server. In session mode, and without a pooler, two
 * connections that are open at the same time share no server process, and each keeps its own.
 */
export async function shareSessions(one: ClientBase, other: ClientBase): Promise<boolean> {
  const [first, second] = [new Set<number>(), new Set<number>()];
  for (let round = 0; round < ROUNDS; round += 1) {
    first.add(await serverProcess(one));
    second.add(await serverProcess(other));
  }
  return first.size > 1 || second.size > 1 || [...first][0] === [...second][0];
}

/** The fault of two connections through a pooler, beside one to the server itself; null if the service can use them. */
export async function poolerFault(
  pooled: readonly [ClientBase, ClientBase],
  direct: ClientBase,
): Promise<ConnectionFault | null> {
  const [there, here] = [await placeOf(pooled[0]), await placeOf(direct)];
  if (there.system !== here.system || there.database !== here.database) {
    return { fault: 'leads to another database than DATABASE_DIRECT_URL', expected: 'the same one' };
  }
  if (there.role !== here.role) {
    const fault = `has the role ${there.role}, and DATABASE_DIRECT_URL the role ${here.role}`;
    return { fault, expected: 'the same role' };
  }
  const missing = LIMITS.filter((name) => !isWithin(there.limits[name], here.limits[name]));
  if (missing.length > 0) {
    const limits = missing.map((name) => `${name}=${here.limits[name]}ms`).join(', ');
    const fault = `leads to a pooler whose connections to the server lack ${limits}`;
    return { fault, expected: `these limits for the role ${here.role} (deploy/sql/roles.sql)` };
  }
  return (await keepsPrepared(pooled))
    ? null
    : { fault: 'leads to a pooler without prepared statements', expected: 'max_prepared_statements above 0' };
}

async function placeOf(client: ClientBase): Promise<Place> {
  const { rows } = await client.query<Place>(PLACE, [LIMITS]);
  if (!rows[0]) throw new Error('The server does not name its database');
  return rows[0];
}

/** 0 is no limit. */
function isWithin(limit = 0, wanted = 0): boolean {
  return limit > 0 && limit <= wanted;
}

async function serverProcess(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
  return rows[0]?.id ?? 0;
}

/** Both use the same name, on the same server process or on different ones. */
async function keepsPrepared([one, other]: readonly [ClientBase, ClientBase]): Promise<boolean> {
  const statement = { name: 'pooler-check', text: 'select 1' };
  try {
    for (const client of [one, other, one, other]) await client.query(statement);
    return true;
  } catch (error) {
    if (NOT_PREPARED.includes((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}
