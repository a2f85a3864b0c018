import { expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createDataSource } from '../../src/bootstrap/data-source.js';
import { connect } from '../../src/bootstrap/boot.js';
import { createApp } from '../../src/bootstrap/configure-app.js';
import { IntegrityService } from '../../src/modules/finance/reports/integrity.service.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { migrate } from '../../src/platform/database/migrator.js';
import { createLog } from '../../src/platform/observability/log.js';
import { Machine } from '../identity/machine.js';
import { closeAfterTests } from '../setup/running.js';

/** The first migration of the tables and columns that old rows do not have: settings, credit notes, settlements, histories. */
const FIRST = 1792000000000;

const timestampOf = (migration: unknown) => Number((migration as { name: string }).name.slice(-13));

/** Late in the evening of UTC, which is the next day in the time zone of the organization. */
const LATE = '2026-03-31T22:30:00Z';

/**
 * Rows as the service wrote them before: a confirmed booking with a paid installment and its invoice, an open one, a void
 * invoice and a draft; a cancelled booking with money; and a paid bill whose tax differs from that of its lines.
 */
const OLD_ROWS = `
  insert into bookings (id, number, status, currency, total_cents, customer_name, start_date, confirmed_at, cancelled_at,
    cancel_reason, version, created_at, updated_at)
  values ('book_a', 'B-1', 'confirmed', 'EUR', 100000, 'Clara Weber', '2027-05-01', '${LATE}', null, null, 3, '${LATE}', '${LATE}'),
    ('book_b', 'B-2', 'cancelled', 'EUR', 0, 'Jan Novak', '2027-06-01', '2026-02-01T10:00:00Z', '${LATE}', 'Ill', 4,
     '2026-02-01T10:00:00Z', '${LATE}');
  insert into booking_items (id, booking_id, currency, type, title, status, quantity, unit_sell_cents, total_sell_cents,
    tax_included_cents, pricing_treatment, service_date, cancelled_at, version, created_at, updated_at)
  values ('bkit_a', 'book_a', 'EUR', 'unit', 'Tour', 'confirmed', 2, 50000, 100000, 0, 'standard', '2027-05-03', null, 1, '${LATE}', '${LATE}'),
    ('bkit_b', 'book_b', 'EUR', 'unit', 'Tour', 'cancelled', 1, 40000, 40000, 0, 'standard', null, '${LATE}', 2, '${LATE}', '${LATE}');
  insert into payment_plans (id, booking_id, plan_version, source, total_cents, is_current, created_at)
  values ('plan_a', 'book_a', 1, 'none', 100000, true, '${LATE}');
  insert into payment_schedules (id, booking_id, plan_id, plan_version, currency, position, type, label, basis, due_date,
    amount_cents, paid_cents, status, waived, version, created_at, updated_at)
  values ('psch_1', 'book_a', 'plan_a', 1, 'EUR', 1, 'deposit', 'Deposit', 'booking', '2026-04-10', 30000, 30000, 'paid', false, 2, '${LATE}', '${LATE}'),
    ('psch_2', 'book_a', 'plan_a', 1, 'EUR', 2, 'balance', 'Balance', 'manual', '2027-04-01', 70000, 0, 'pending', false, 1, '${LATE}', '${LATE}');
  insert into invoice_number_series (id, name, prefix, pattern, document_type, reset_period, is_default, active, version, created_at, updated_at)
  values ('nser_a', 'Invoices', 'OLD-', '{prefix}{SEQ:4}', 'invoice', 'never', false, true, 1, '${LATE}', '${LATE}');
  insert into invoice_number_counters values ('nser_a', 'all', 3, 2, '2026-04-02');
  insert into invoices (id, type, booking_id, schedule_id, status, payer_name, currency, subtotal_cents, tax_cents, total_cents,
    paid_cents, version, created_at, updated_at)
  select id, 'invoice', 'book_a', schedule, 'draft', 'Clara Weber', 'EUR', net, tax, net + tax, 0, 1, '${LATE}', '${LATE}'
  from (values ('inv_1', 'psch_1', 30000, 0), ('inv_2', null, 20000, 3800), ('inv_3', null, 10000, 0)) as rows (id, schedule, net, tax);
  insert into invoice_lines (invoice_id, position, booking_item_id, description, quantity, unit_price_cents,
    tax_rate_basis_points, net_cents, tax_cents, total_cents)
  values ('inv_1', 1, null, 'Deposit', 1, 30000, null, 30000, 0, 30000),
    ('inv_2', 1, 'bkit_a', 'Tour', 2, 10000, 1900, 20000, 3800, 23800),
    ('inv_3', 1, null, 'Extra', 1, 10000, null, 10000, 0, 10000);
  update invoices set status = 'issued', number = 'OLD-000' || right(id, 1), series_id = 'nser_a', period_key = 'all',
    sequence = right(id, 1)::int, issue_date = ('2026-04-0' || right(id, 1))::date, due_date = '2026-04-10', issued_at = '${LATE}',
    seller_name = 'Lake Tours', version = 2
  where id in ('inv_1', 'inv_2');
  update invoices set status = 'void', voided_at = '2026-04-30T22:30:00Z', void_reason = 'Wrong', version = 3 where id = 'inv_2';
  insert into payments (id, direction, booking_id, method, currency, amount_cents, unapplied_cents, paid_on, source, status,
    reversed_at, reversal_reason, version, created_at, updated_at)
  values ('pay_1', 'in', 'book_a', 'card', 'EUR', 30000, 0, '2026-04-02', 'manual', 'completed', null, null, 1, '${LATE}', '${LATE}'),
    ('pay_2', 'in', 'book_a', 'card', 'EUR', 5000, 5000, '2026-03-30', 'manual', 'reversed', '${LATE}', 'Twice', 2, '${LATE}', '${LATE}'),
    ('pay_3', 'in', 'book_b', 'cash', 'EUR', 10000, 10000, '2026-02-02', 'manual', 'completed', null, null, 1, '${LATE}', '${LATE}');
  insert into payment_allocations (id, payment_id, schedule_id, invoice_id, amount_cents, effective_on, created_at)
  values ('pal_1', 'pay_1', 'psch_1', 'inv_1', 30000, '2026-04-02', '${LATE}');
  update invoices set status = 'paid', paid_cents = 30000, version = 3 where id = 'inv_1';
  insert into supplier_invoices (id, supplier_name, supplier_key, invoice_number, number_key, currency, base_currency, total_cents,
    subtotal_cents, tax_cents, base_total_cents, base_subtotal_cents, base_tax_cents, paid_cents, status, issue_date, approved_at,
    approved_by, version, created_at, updated_at)
  values ('sinv_1', 'Bus AG', 'bus ag', 'R-1', 'r-1', 'EUR', 'EUR', 11900, 10000, 1900, 11900, 10000, 1900, 4000, 'approved',
    '2026-03-05', '${LATE}', 'user_x', 2, '${LATE}', '${LATE}');
  insert into supplier_invoice_lines values ('sinv_1', 1, 'Bus', 'transport', 1, 10200, 1700, 11900);
  insert into payments (id, direction, supplier_invoice_id, method, currency, amount_cents, unapplied_cents, paid_on, source,
    status, version, created_at, updated_at)
  values ('pay_4', 'out', 'sinv_1', 'bank_transfer', 'EUR', 4000, 0, '2026-03-20', 'manual', 'completed', 1, '${LATE}', '${LATE}');
  insert into payment_allocations (id, payment_id, supplier_invoice_id, amount_cents, effective_on, created_at)
  values ('pal_2', 'pay_4', 'sinv_1', 4000, '2026-03-20', '${LATE}')`;

/** A database with old rows, migrated to the current schema. */
async function migrated(): Promise<Machine> {
  const machine = await Machine.bare();
  const { options } = createDataSource({ databaseUrl: machine.databaseUrl, databasePoolSize: 2 });
  const all = Object.values(options.migrations ?? {}).sort((a, b) => timestampOf(a) - timestampOf(b));
  for (const migrations of [all.filter((one) => timestampOf(one) < FIRST), all]) {
    const dataSource = await new DataSource({ ...options, migrations }).initialize();
    await migrate(dataSource, { timeZone: 'Europe/Bucharest' }).finally(() => dataSource.destroy());
    if (migrations !== all) await machine.sql(OLD_ROWS);
  }
  return machine;
}

it('rows of an earlier version are converted so that every accounting rule holds', async () => {
  const machine = await migrated();
  const env = readEnv({
    ...process.env,
    DATABASE_URL: machine.databaseUrl,
    MIGRATION_DATABASE_URL: '',
    DATA_DIR: machine.folder,
    JOBS: 'false',
  });
  const app = await createApp({ env, dataSource: await connect(env), log: createLog('silent') });
  closeAfterTests(() => app.close());
  await app.init();
  const integrity = app.get(IntegrityService, { strict: false });
  await asSystem(() => integrity.verifyAndStore());
  const { checks } = await asSystem(() => integrity.read());
  expect(checks.length).toBeGreaterThan(10);
  expect(checks.filter(({ violations }) => violations > 0)).toEqual([]);

  expect(
    await machine.sql(
      `select id, confirmed_on::text, cancelled_on::text, departure_date::text from bookings order by id`,
    ),
  ).toEqual([
    { id: 'book_a', confirmed_on: '2026-04-01', cancelled_on: null, departure_date: '2027-05-03' },
    { id: 'book_b', confirmed_on: '2026-02-01', cancelled_on: '2026-04-01', departure_date: '2027-06-01' },
  ]);
  expect(await machine.sql('select id, status, voided_on::text from invoices order by id')).toEqual([
    { id: 'inv_1', status: 'paid', voided_on: null },
    { id: 'inv_2', status: 'void', voided_on: '2026-05-01' },
    { id: 'inv_3', status: 'draft', voided_on: null },
  ]);
  expect(
    await machine.sql(
      'select booking_id, status, cancelled_on::text, refund_due_on::text from cancellation_settlements',
    ),
  ).toEqual([{ booking_id: 'book_b', status: 'open', cancelled_on: '2026-04-01', refund_due_on: '2026-04-15' }]);
  expect(await machine.sql('select id, kind from payments order by id')).toEqual([
    { id: 'pay_1', kind: 'receipt' },
    { id: 'pay_2', kind: 'receipt' },
    { id: 'pay_3', kind: 'receipt' },
    { id: 'pay_4', kind: 'supplier_payment' },
  ]);
  expect(
    await machine.sql(
      `select subtotal_cents::int as net, tax_cents::int as tax, base_tax_cents::int as base, posting_date::text as day
       from supplier_invoices`,
    ),
  ).toEqual([{ net: 10_200, tax: 1_700, base: 1_700, day: '2026-03-05' }]);
  expect(await machine.sql('select id, date_source from payment_schedules order by id')).toEqual([
    { id: 'psch_1', date_source: 'policy' },
    { id: 'psch_2', date_source: 'manual' },
  ]);
}, 120_000);
