import type { Clock } from '../clock/clock.js';
import { inOneWrite } from './service-pool.js';
import { type TransactionState, units } from './transaction-state.js';

/**
 * Connections are pipelined: BEGIN is sent together with the first statement, and the collected statements together
 * with the COMMIT. That saves their round trips, and the row of a ledger's head is locked for none.
 *
 * The day becomes the setting `app.today` of the transaction, and the time `app.now`: triggers that write histories read the
 * organization's day there, because a day computed from a timestamp would change with `ORG_TIME_ZONE`. This is part of the message of BEGIN, which
 * costs the server a few microseconds and the service nothing.
 */
export async function inTransaction<T>(unit: TransactionState, clock: Clock, work: () => Promise<T>): Promise<T> {
  const { client } = unit;
  let begun: Promise<unknown> = Promise.resolve();
  try {
    const result = await inOneWrite(client, () => {
      const [day, time] = [clock.today(), clock.now().toISOString()];
      begun = client.query(`begin; set local app.today = '${day}'; set local app.now = '${time}'`);
      begun.catch(() => undefined);
      return units.run(unit, work);
    });
    // If one of them failed, the server turns the COMMIT into a rollback.
    const last = [...unit.collectedStatements(), { text: 'commit' }];
    await Promise.all([begun, ...inOneWrite(client, () => last.map((statement) => client.query(statement)))]);
    return result;
  } catch (error) {
    // If the connection itself broke, the rollback fails too; the first error is reported.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
