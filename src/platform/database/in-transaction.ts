import type { Clock } from '../clock/clock.js';
import type { Statement } from './statement.js';
import { type TransactionState, units } from './transaction-state.js';

/**
 * BEGIN. The day becomes the setting `app.today` of the transaction, and the time `app.now`: triggers that write histories
 * read the organization's day there, because a day computed from a timestamp would change with `ORG_TIME_ZONE`.
 */
export function beginAt(clock: Clock): Statement {
  const [day, time] = [clock.today(), clock.now().toISOString()];
  return { text: `begin; set local app.today = '${day}'; set local app.now = '${time}'` };
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
