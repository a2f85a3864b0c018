import type { Clock } from '../clock/clock.js';
import type { StatementTrace } from '../observability/statement-trace.js';
import type { ServicePool } from './service-pool.js';
import type { Statement } from './statement.js';
import { TransactionState, units } from './transaction-state.js';

const SNAPSHOT = ' isolation level repeatable read, read only';

/**
 * BEGIN. The day becomes the setting `app.today` of the transaction, and the time `app.now`: triggers that write histories
 * read the organization's day there, because a day computed from a timestamp would change with `ORG_TIME_ZONE`.
 */
export function beginAt(clock: Clock, mode = ''): Statement {
  const [day, time] = [clock.today(), clock.now().toISOString()];
  return { text: `begin${mode}; set local app.today = '${day}'; set local app.now = '${time}'` };
}

/** Runs the work in the transaction and commits it. Throws the first error of the transaction after its rollback. */
export async function inTransaction<T>(unit: TransactionState, work: () => Promise<T>): Promise<T> {
  try {
    const result = await units.run(unit, work);
    await unit.commit();
    return result;
  } catch (error) {
    throw await unit.rollback(error);
  }
}

/** Runs the work in a read-only transaction of its own, in which all statements see one state of the database. */
export async function inSnapshot<T>(
  pool: ServicePool,
  { clock, trace }: { clock: Clock; trace: StatementTrace | null },
  work: () => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    return await inTransaction(new TransactionState(client, { begin: beginAt(clock, SNAPSHOT), trace }), work);
  } finally {
    client.release();
  }
}
