import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newId } from '../../src/platform/ids/id.js';
import { COUNTED_COLUMNS } from '../../src/platform/database/row-counts.js';
import { unique } from '../action-ledger/ledger.js';
import { bookingWith } from '../finance/payments/bookings.js';
import { invoicing, INVOICES } from '../finance/payments/invoiced.js';
import { approved, out, recorded, reverse } from '../finance/payments/payments.js';
import { CONTRACTS, declareVoid, draft, issue } from '../legal/contracts.js';
import { startApp, type TestApp } from '../setup/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** Selects tables whose number of rows differs from the triggers' count, in one snapshot. */
async function wrongCounts(query: (text: string) => Promise<object[]> = (text) => app.sql(text)): Promise<object[]> {
  const actual = Object.entries(COUNTED_COLUMNS).map(
    ([table, columns]) =>
      `select '${table}' as relation, array[${columns.join(', ')}] as part, count(*) as number from ${table} group by 1, 2`,
  );
  return query(
    `select relation, part, counted.number as counted, actual.number as actual
     from (select relation, part, sum(number) as number from row_counts group by 1, 2) counted
       full join (${actual.join(' union all ')}) actual using (relation, part)
     where coalesce(counted.number, 0) <> coalesce(actual.number, 0)`,
  );
}

/** Runs the statements in a transaction of the owner that is rolled back after the check. */
async function rolledBack(statements: string, check: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = newClient();
  await client.connect();
  try {
    await client.query(`begin; ${statements}`);
    await check(client);
    await client.query('rollback');
  } finally {
    await client.end();
  }
}

const newClient = () => new pg.Client(process.env['MIGRATION_DATABASE_URL']);
const totalOf = async (query = '', list = CONTRACTS) =>
  (await app.as('owner').get<{ total: number }>(`${list}?limit=1${query}`)).body.total;
const rowsOf = async (condition = 'true') =>
  Number((await app.sql<{ count: string }>(`select count(*) from contracts where ${condition}`))[0]?.count);

describe('the counts of rows', () => {
  it('the tables and columns that lists read are those that triggers count', async () => {
    const triggers = await app.sql<{ name: string; relation: string; kept: string }>(
      `select tgname as name, tgrelid::regclass::text as relation, pg_get_functiondef(tgfoid) as kept
       from pg_trigger where tgname like '%\\_counted\\_%' order by 1`,
    );
    const tables = Object.keys(COUNTED_COLUMNS);
    const kinds = ['delete', 'insert', 'update'];
    const expected = tables.flatMap((table) => kinds.map((kind) => `${table}_counted_${kind}`));
    expect(triggers.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
    for (const { relation, kept } of triggers) {
      expect(kept).toContain(`array[${COUNTED_COLUMNS[relation]?.map((column) => `new.${column}`).join(', ')}]`);
    }
  });

  it('the total of a list follows concurrent creations and changes of status, with and without a status', async () => {
    // Uses more transactions than there are connections.
    const contracts = await Promise.all(Array.from({ length: 12 }, () => draft(app, { title: unique('Counted') })));
    const totals = () =>
      Promise.all(['', '&status=draft', '&status=issued', '&status=void'].map((one) => totalOf(one)));
    const [all = 0, drafts = 0, issued = 0, voided = 0] = await totals();

    await Promise.all(contracts.map(({ id }, n) => (n < 8 ? issue(app, id) : declareVoid(app, id))));
    await Promise.all(contracts.slice(0, 2).map(({ id }) => declareVoid(app, id)));

    expect(await totals()).toEqual([all, drafts - 12, issued + 6, voided + 6]);
    expect(all).toBe(await rowsOf());
    expect(await totalOf('&offset=100000')).toBe(all);
    expect(await wrongCounts()).toEqual([]);
  });

  it('changes of status, deletions and insertions of several rows that are rolled back are not counted', async () => {
    const { id } = await draft(app);
    const bookings = ['draft', 'confirmed', 'confirmed'].map((status) => `('${newId('book')}', '${status}')`);
    const changes = `
      update contracts set status = 'void', voided_at = now(), void_reason = 'Test' where public_id = '${id}';
      update waiting_entries set message_id = null;
      delete from notification_messages;
      insert into bookings (id, number, status, currency, total_cents, customer_name, confirmed_at, version, created_at, updated_at)
      select id, right(id, 20), status, 'EUR', 0, 'Clara Example', case status when 'confirmed' then now() end, 1, now(), now()
      from (values ${bookings.join(', ')}) as booking (id, status)`;
    await rolledBack(changes, async (client) => {
      expect(await wrongCounts(async (text) => (await client.query<object>(text)).rows)).toEqual([]);
    });
    expect(await wrongCounts()).toEqual([]);
  });

  it('rows that are counted by several columns are counted after creations, changes, deletions and reversals', async () => {
    const owner = app.as('owner');
    const { draft: draftInvoice, issued } = invoicing(() => owner);
    const totals = () => Promise.all(['', '&status=draft', '&status=issued'].map((one) => totalOf(one, INVOICES)));
    const [all = 0, drafts = 0, open = 0] = await totals();
    const [one, other] = [await bookingWith(app), await bookingWith(app)];
    await issued(one.id);
    const { id } = await draftInvoice(other.id);
    expect(await totals()).toEqual([all + 2, drafts + 1, open + 1]);
    expect((await owner.delete(`${INVOICES}/${id}`)).status).toBe(200);
    expect(await totals()).toEqual([all + 1, drafts, open + 1]);

    const payment = await recorded(owner, out((await approved(owner, 900)).id, 900));
    await reverse(owner, payment.id);
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
