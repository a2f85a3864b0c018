import { beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { IntegrityService } from '../../../src/modules/finance/reports/integrity.service.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem, staffWith } from '../invoices.js';
import { draft, issue, sell } from '../invoices/invoicing.js';
import { bookingWith, received } from '../payments/bookings.js';
import { recorded, reverse } from '../payments/payments.js';
import { broken, INTEGRITY, tamper, verify } from './tampering.js';

const CHECKS = [
  'payment_conservation',
  'payment_reversed',
  'installment_paid',
  'invoice_paid',
  'supplier_invoice_paid',
  'allocation_debt',
  'plan_total',
  'booking_total',
  'commission_total',
  'commission_clawback',
  'commission_payouts',
  'balance_identity',
  'customer_money',
  'cash_applied',
  'refunds_covered',
  'journals_balance',
  'transfers_paired',
  'document_sums',
  'billed_within_claim',
  'tax_on_documents',
  'tax_of_items',
  'credit_bounds',
  'numbers_gapless',
  'numbers_in_order',
  'numbers_of_pattern',
  'history_complete',
  'period_frozen',
  'plan_dates',
  'quotes_silent',
  'departure_counters',
  'manifest_seats',
];

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'info' } });
  owner = app.as('owner');
});

it('all accounting rules are satisfied by demo data and after payments, allocations and reversals', async () => {
  const { id } = await bookingWith(app, { installments: [['2026-03-01', 1000]] });
  await recorded(owner, received(id, 700));
  const { id: reversed } = await recorded(owner, received(id, 900));
  await reverse(owner, reversed);
  const { conserved, checks } = await verify(owner);
  expect([conserved, broken({ conserved, checks, checkedAt: '' })]).toEqual([true, {}]);
  expect(checks.map(({ name }) => name)).toEqual(CHECKS);
});

it('all accounting rules are satisfied after refunds, transfers, credits, corrections and cancellations', async () => {
  const finance = '/v1/admin/finance';
  const post = async (path: string, body: object = {}) => {
    const { status, text, body: answer } = await owner.post<{ data: { id: string } }>(path, body);
    expect([path, status, text]).toEqual([path, status < 300 ? status : 200, text]);
    return answer.data;
  };
  const items = [{ unitSellCents: 69_000, taxIncludedCents: 11_000 }, { unitSellCents: 50_000 }];
  const [one, other] = [await sell(app, { items, plan: [35_700, 83_300] }), await sell(app)];
  await app.sql(`update bookings set customer_email = 'ada@example.com' where id = any($1)`, [[one.id, other.id]]);

  const { id: deposit } = await draft(owner, { bookingId: one.id, scheduleId: one.scheduleIds[0] });
  expect((await issue(owner, deposit)).status).toBe(200);
  const { id: receipt } = await recorded(owner, received(one.id, 130_000));
  const { id: refundId } = await post(`${finance}/bookings/${one.id}/refunds`, {
    amountCents: 5_000,
    method: 'bank_transfer',
    reason: 'Paid too much',
  });
  await post(`${finance}/refunds/${refundId}/completion`, { paidOn: '2026-03-01' });
  await post(`${finance}/bookings/${one.id}/transfers`, {
    toBookingId: other.id,
    amountCents: 6_000,
    reason: 'Booked another tour',
  });
  await post(`${finance}/invoices/${deposit}/correction`, { reasonText: 'Made out to the wrong company' });
  expect(broken(await verify(owner))).toEqual({});

  await post(`/v1/admin/bookings/${one.id}/items/${one.itemIds[1]}/cancellation`, { reason: 'Ill' });
  expect(broken(await verify(owner))).toEqual({});
  await post(`/v1/admin/bookings/${one.id}/cancellation`, { reason: 'Ill' });
  await post(`${finance}/bookings/${one.id}/cancellation-settlement`, { agreedFeeCents: 100, feeReason: 'Agreed' });
  await reverse(owner, receipt);
  expect(broken(await verify(owner))).toEqual({});
});

it('the integrity report counts all violations and lists at most twenty', async () => {
  const made = [];
  for (let n = 0; n < 22; n += 1) made.push(await bookingWith(app));
  const ids = made.map(({ id }) => `'${id}'`).join(', ');
  await tamper(app, 'bookings', `update bookings set total_cents = 1 where id in (${ids})`);
  const [check] = (await verify(owner)).checks.filter(({ violations }) => violations > 0);
  expect([check?.name, check?.violations, check?.examples.length]).toEqual(['booking_total', 22, 20]);
  await tamper(app, 'bookings', `update bookings set total_cents = 100000 where id in (${ids})`);
});

it('an hourly job logs violations as errors and counts them in the metrics', async () => {
  const { id } = await bookingWith(app);
  await tamper(app, 'bookings', `update bookings set total_cents = 1 where id = '${id}'`);
  const integrity = app.nest.get(IntegrityService);
  await asSystem(() => integrity.verifyAndStore());
  const logged = app.logs.map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(logged.filter(({ check }) => check !== undefined)).toMatchObject([
    { level: 'error', check: 'booking_total', violations: 1, msg: 'accounting rule violated' },
  ]);
  expect((await app.get('/metrics')).text).toMatch(/^finance_integrity_violations 1$/m);

  await tamper(app, 'bookings', `update bookings set total_cents = 100000 where id = '${id}'`);
  await asSystem(() => integrity.verifyAndStore());
  expect((await app.get('/metrics')).text).toMatch(/^finance_integrity_violations 0$/m);
  const [known] = await app.sql(
    `select from graphile_worker._private_known_crontabs where identifier = 'finance.integrity.verify'`,
  );
  expect(known).toBeDefined();
});

it('every process has the violations of the stored report in its metrics, whichever process has stored it', async () => {
  const other = await startApp({ env: { JOBS: 'false' } });
  const { id } = await bookingWith(app);
  await tamper(app, 'bookings', `update bookings set total_cents = 1 where id = '${id}'`);
  await asSystem(() => app.nest.get(IntegrityService).verifyAndStore());
  expect((await other.get('/metrics')).text).toMatch(/^finance_integrity_violations 1$/m);

  await tamper(app, 'bookings', `update bookings set total_cents = 100000 where id = '${id}'`);
  await asSystem(() => other.nest.get(IntegrityService).verifyAndStore());
  expect((await app.get('/metrics')).text).toMatch(/^finance_integrity_violations 0$/m);
});

it('a clock that is set while the rules are verified takes no time from them', async () => {
  const verifying = asSystem(() => app.nest.get(IntegrityService).verifyAndStore());
  app.travel({ days: 2 });
  await verifying;
  const [kept] = await app.sql<{ checked_at: Date }>('select checked_at from integrity_report');
  app.travel({ days: -2 });
  expect(app.now().getTime() - Number(kept?.checked_at)).toBeLessThan(600_000);
  expect((await verify(owner)).conserved).toBe(true);
});

it('the report is current, or that of the last job if the tables cannot be read in time', async () => {
  const { id } = await bookingWith(app);
  await asSystem(() => app.nest.get(IntegrityService).verifyAndStore());
  await tamper(app, 'bookings', `update bookings set total_cents = 1 where id = '${id}'`);
  expect((await verify(owner)).conserved).toBe(false);

  const client = new pg.Client({ connectionString: process.env.MIGRATION_DATABASE_URL });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('lock table payments in access exclusive mode');
    const [kept] = await app.sql<{ checked_at: Date }>('select checked_at from integrity_report');
    expect(await verify(owner)).toMatchObject({ checkedAt: kept?.checked_at.toISOString(), conserved: true });
  } finally {
    await client.end();
  }
  await tamper(app, 'bookings', `update bookings set total_cents = 100000 where id = '${id}'`);
});

it('the integrity report needs finance:read', async () => {
  const { status, body } = await (await staffWith(app, 'bookings:read')).get(INTEGRITY);
  expect(status).toBe(403);
  expect(body).toEqual(problem('forbidden', { requiredScope: 'finance:read' }));
});
