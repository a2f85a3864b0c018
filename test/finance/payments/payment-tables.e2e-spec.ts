/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { approved, out, type Payment, recorded } from './payments.js';

let app: TestApp;
let owner: TestClient;
let payment: Payment;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

/** The error of the database for a change that bypasses the service. */
async function errorOf(sql: string, values: unknown[]): Promise<unknown> {
  try {
    await app.sql(sql, values);
    return null;
  } catch (error) {
    const { constraint, message } = error as { constraint?: string; message: string };
    return constraint ?? message;
  }
}

async function newPayment(): Promise<Payment> {
  const { id } = await approved(owner, 1000);
  return recorded(owner, out(id, 600));
}

describe('the payments tables', () => {
  beforeAll(async () => {
    payment = await newPayment();
  });

  it.each(['amount_cents = 700', "paid_on = '2026-01-16'", "method = 'cash'", "currency = 'USD'", 'reference = null'])(
    'the payments table rejects the edit %s',
    async (change) => {
      const edited = change === 'reference = null' ? "reference = 'other'" : change;
      const thrown = await errorOf(`update payments set ${edited} where id = $1`, [payment.id]);
      expect(thrown).toBe('payments is append-only');
    },
  );

  it('the payments tables reject deleting a payment or an allocation, and changing an allocation', async () => {
    expect(await errorOf('delete from payments where id = $1', [payment.id])).toBe('payments is append-only');
    for (const sql of [
      'delete from payment_allocations where payment_id = $1',
      'update payment_allocations set amount_cents = 1 where payment_id = $1',
    ]) {
      expect(await errorOf(sql, [payment.id])).toBe('payment_allocations is append-only');
    }
  });

  it('the payments table rejects restoring a reversed payment', async () => {
    const { id } = await newPayment();
    await owner.post(`/v1/admin/finance/payments/${id}/reversal`, { reason: 'Wrong' });
    const revive = "update payments set status = 'completed', reversed_at = null, reversal_reason = null where id = $1";
    expect(await errorOf(revive, [id])).toBe('payments is append-only');
  });

  it.each([
    ['money that is neither allocated nor unapplied', 'unapplied_cents = 1', 'payments_conservation'],
    ['more unapplied than there is', 'unapplied_cents = 601', 'payments_unapplied'],
    ['a reversal without its timestamps', "status = 'reversed'", 'payments_reversal'],
  ])('the payments table rejects %s', async (_, change, constraint) => {
    expect(await errorOf(`update payments set ${change} where id = $1`, [payment.id])).toBe(constraint);
  });

  it('the database rejects a target whose paid amount is not the sum of its allocations', async () => {
    const sql = 'update supplier_invoices set paid_cents = 601 where id = $1';
    expect(await errorOf(sql, [payment['supplierInvoiceId']])).toBe('supplier_invoices_paid_is_allocated');
  });

  const insert = (columns: string, values: string) =>
    `insert into payment_allocations (id, payment_id, ${columns}, effective_on, created_at)
     select $2, id, ${values}, paid_on, now() from payments where id = $1`;

  it('the database rejects an allocation that neither the payment nor its target counts', async () => {
    const sql = insert('supplier_invoice_id, amount_cents', 'supplier_invoice_id, 5');
    expect(await errorOf(sql, [payment.id, 'pall_test_1'])).toBe('payments_conservation');
  });

  it.each([
    ['that settles nothing', ['amount_cents', '5'], 'payment_allocations_target'],
    [
      'of nothing',
      ['supplier_invoice_id, amount_cents', 'supplier_invoice_id, 0'],
      'payment_allocations_amount_cents_check',
    ],
    [
      'on both sides',
      ['supplier_invoice_id, schedule_id, amount_cents', "supplier_invoice_id, 'psch_1', 5"],
      'payment_allocations_target',
    ],
  ] as const)('the allocations table rejects an allocation %s', async (_, [columns, values], constraint) => {
    expect(await errorOf(insert(columns, values), [payment.id, 'pall_test_2'])).toBe(constraint);
  });

  it('the database rejects an allocation to the debt of another party', async () => {
    const { id } = await approved(owner, 1000);
    const sql = insert('supplier_invoice_id, amount_cents', '$3, 5');
    expect(await errorOf(sql, [payment.id, 'pall_test_5', id])).toBe('payment_allocations_own_debt');
  });

  it('the allocations table rejects a reversal row that differs from the row that it reverses', async () => {
    const [allocation] = payment.allocations;
    const sql = insert('supplier_invoice_id, amount_cents, reverses_id', 'supplier_invoice_id, 5, $3');
    expect(await errorOf(sql, [payment.id, 'pall_test_3', allocation?.id])).toBe('payment_allocations_reversal');
  });

  it('the allocations table rejects a second reversal of one allocation', async () => {
    const { id, allocations } = await newPayment();
    await owner.delete(`/v1/admin/finance/payments/${id}/allocations/${allocations[0]?.id}`);
    const sql = insert('supplier_invoice_id, amount_cents, reverses_id', 'supplier_invoice_id, 600, $3');
    expect(await errorOf(sql, [id, 'pall_test_4', allocations[0]?.id])).toBe('payment_allocations_reversed_once');
  });
});
