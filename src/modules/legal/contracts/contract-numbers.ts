import type { Database } from '../../../platform/database/database.js';

/** A number of the form that we give ourselves: `C-<year>-<at least five digits>`. */
const GIVEN_FORM = /^C-(\d{4})-\d{5,10}$/;

/**
 * The next number of this year, `C-2027-00042`, taken numbers skipped. Holds the year's counter until the transaction
 * ends: a number is given if and only if its contract is issued.
 */
export async function nextContractNumber(database: Database, year: string): Promise<string> {
  const [row] = await database.query<{ number: string }>('select contract_number_next($1) as number', [Number(year)]);
  if (!row) throw new Error(`No contract number for ${year}`);
  return row.number;
}

/**
 * A number that staff chose in our own form waits for the year's counter too. Otherwise an issue that runs at the same
 * time could be given the same number, and would be refused for a number that it did not choose.
 */
export async function reserveChosenNumber(database: Database, number: string | null): Promise<void> {
  const year = Number(GIVEN_FORM.exec(number ?? '')?.[1] ?? 0);
  if (year > 0) await database.query('select contract_numbers_lock($1)', [year]);
}
