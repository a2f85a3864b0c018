import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { unique } from '../action-ledger/ledger.js';
import { startApp, type TestApp } from '../setup/app.js';

const CONTRACTS = '/v1/admin/legal/contracts';
const TABLES = {
  bookings: 'array[status]',
  contracts: 'array[status]',
  departures: 'array[status]',
  invoices: 'array[type, status]',
  notification_messages: 'array[status]',
  payments: 'array[direction, kind, status]',
  supplier_invoices: 'array[status]',
  trip_envelopes: 'array[status]',
};

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** Tables whose rows are not as many as the triggers counted, in one snapshot. */
async function wrongCounts(): Promise<object[]> {
  const actual = Object.entries(TABLES).map(
    ([table, part]) => `select '${table}' as relation, ${part} as part, count(*) as number from ${table} group by 1, 2`,
  );
  return app.sql(
    `select relation, part, counted.number as counted, actual.number as actual
     from (select relation, part, sum(number) as number from row_counts group by 1, 2) counted
       full join (${actual.join(' union all ')}) actual using (relation, part)
     where coalesce(counted.number, 0) <> coalesce(actual.number, 0)`,
  );
}

const newClient = () => new pg.Client(process.env['MIGRATION_DATABASE_URL']);
const create = (title = unique('Counted')) =>
  app.as('owner').post<{ data: { reference: string } }>(CONTRACTS, { title, body: '<p>Text</p>' });
const totalOf = async (query = '') =>
  (await app.as('owner').get<{ total: number }>(`${CONTRACTS}?limit=1${query}`)).body.total;
const rowsOf = async (condition = 'true') =>
  Number((await app.sql<{ count: string }>(`select count(*) from contracts where ${condition}`))[0]?.count);

describe('the counts of rows', () => {
  it('the total of a list follows creations, changes of status and rolled-back changes, with and without a status', async () => {
    await create();
    expect([await totalOf(), await totalOf('&status=draft')]).toEqual([
      await rowsOf(),
      await rowsOf(`status = 'draft'`),
    ]);

    // As many creations as there are connections, half of them rolled back.
    await Promise.all(Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? create() : create(''))));
    expect([await totalOf(), await totalOf('&status=draft')]).toEqual([
      await rowsOf(),
      await rowsOf(`status = 'draft'`),
    ]);

    await app.sql(`begin; update contracts set title = title || 'x' where status = 'draft'; rollback`);
    expect(await totalOf('&status=issued')).toBe(await rowsOf(`status = 'issued'`));
    expect(await totalOf('&offset=100000')).toBe(await rowsOf());
    expect(await wrongCounts()).toEqual([]);
  });

  it('of two open transactions that count rows of the same part, neither waits for the other', async () => {
    const [one, other] = [newClient(), newClient()];
    await Promise.all([one.connect(), other.connect()]);
    try {
      const count = `select add_to_row_count('contracts', array['draft'], 1)`;
      await one.query('begin');
      await one.query(count);
      await other.query(`begin; set local lock_timeout = '1ms'`);
      await other.query(count);
      await Promise.all([one.query('rollback'), other.query('rollback')]);
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
    expect(await wrongCounts()).toEqual([]);
  });

  it('after changes without triggers the owner counts again', async () => {
    await app.sql(`update row_counts set number = number + 5 where relation = 'contracts'`);
    expect((await wrongCounts()).length).toBeGreaterThan(0);
    await app.sql('select recount_rows()');
    expect(await wrongCounts()).toEqual([]);
  });
});
