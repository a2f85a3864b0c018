import { inOneWrite } from './service-pool.js';
import { type TransactionState, units } from './transaction-state.js';

/**
 * The connections are pipelined: BEGIN goes out together with the first statement, and what was collected together with
 * the COMMIT. That leaves out their round trips, and a ledger's head is held for none at all.
 */
export async function inTransaction<T>(unit: TransactionState, work: () => Promise<T>): Promise<T> {
  const { client } = unit;
  let begun: Promise<unknown> = Promise.resolve();
  try {
    const result = await inOneWrite(client, () => {
      begun = client.query('begin');
      begun.catch(() => undefined);
      return units.run(unit, work);
    });
    // Where one of them failed, the server makes a rollback of the COMMIT.
    const last = [...unit.collectedStatements(), { text: 'commit' }];
    await Promise.all([begun, ...inOneWrite(client, () => last.map((statement) => client.query(statement)))]);
    return result;
  } catch (error) {
    // The connection may be the thing that broke; then the rollback fails too and the first error is the one to tell.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
