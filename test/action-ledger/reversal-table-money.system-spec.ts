import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  change as commission,
  departedItem,
  earn,
  readLine,
  terms as commissionTerms,
} from '../finance/commissions/commissions.js';
import { make, type Envelope as InvoiceEnvelope, PATH as INVOICES } from '../finance/invoices.js';
import { makeSeries, PATH as SERIES, readSeries } from '../finance/number-series/series.js';
import { change, planned, type Schedule, schedulesOf } from '../finance/payment-plans/plans.js';
import { bookingWith, installmentsOf, received } from '../finance/payments/bookings.js';
import { approved, out, PAYMENTS, read, recorded, reverse, settledOf } from '../finance/payments/payments.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { page } from './ledger.js';
import { blocked, itself, REASON, reversed } from './reversals.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

const invoice = async (id: string) => (await staff.get<InvoiceEnvelope>(`${INVOICES}/${id}`)).body.data;
const terms = (schedules: Schedule[]) =>
  schedules.map(({ id, label, dueDate, amountCents, status, notes }) => ({
    id,
    label,
    dueDate,
    amountCents,
    status,
    notes,
  }));

describe('finance.payment_schedule.update', () => {
  const ACTION = 'finance.payment_schedule.update';

  it.each<[string, object | readonly [object, string], action?: string]>([
    ['label, due date and notes', { label: 'Other', dueDate: '2031-01-31', notes: 'Called\nTwice' }],
    ['a larger amount, which the last one balanced', { amountCents: 40_000 }],
    ['a smaller amount, which the last one balanced', { amountCents: 10_000 }],
    ['a cancellation, which the last one balanced', { status: 'cancelled' }],
    ['a waiver', [{ status: 'cancelled' }, '?rebalance=none'], 'finance.payment_schedule.waive'],
  ])('the reversal of %s restores the payment plan', async (_, sent, action = ACTION) => {
    const [bookingId, first] = await planned(staff);
    const before = terms(await schedulesOf(staff, bookingId));
    expect((await change(staff, first, sent)).status).toBe(200);
    expect(terms(await schedulesOf(staff, bookingId))).not.toEqual(before);

    await reversed(app, first.id, action);

    expect(terms(await schedulesOf(staff, bookingId))).toEqual(before);
  });

  it('the reversal of another reason for a waiver restores the first one', async () => {
    const [bookingId, first] = await planned(staff);
    await change(staff, first, [{ status: 'cancelled', waiveReason: 'Goodwill' }, '?rebalance=none']);
    expect((await change(staff, first, { waiveReason: 'Too small' })).status).toBe(200);

    await reversed(app, first.id, ACTION);

    const restored = (await schedulesOf(staff, bookingId)).find(({ id }) => id === first.id);
    expect(restored).toMatchObject({ status: 'cancelled', waived: true, waiveReason: 'Goodwill' });
  });

  it('the reversal of a change that cancelled another installment opens that one again', async () => {
    const [bookingId, first, , third] = await planned(staff);
    const { status } = await change(staff, first, { amountCents: 30_000 + third.amountCents });
    expect(status).toBe(200);

    await reversed(app, first.id, ACTION);

    const amounts = (await schedulesOf(staff, bookingId)).filter(({ status: now }) => now !== 'cancelled');
    expect(amounts.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(100_000);
    expect(amounts.find(({ id }) => id === first.id)?.amountCents).toBe(30_000);
  });

  it('the reversal is blocked if the installment is paid or was changed since', async () => {
    const [, first, second] = await planned(staff);
    await change(staff, first, { status: 'paid' });
    expect(await blocked(app, first.id, ACTION)).toEqual({ reason: 'schedule_paid' });

    await change(staff, second, { label: 'Once' });
    const [once] = (await page(app, { subjectId: second.id, action: ACTION })).data;
    await change(staff, second, { label: 'Twice' });
    const answer = await staff.post<{ details: object }>(`/v1/admin/action-ledger/entries/${once?.id}/reversals`, {
      reason: REASON,
    });
    expect(answer.body.details).toMatchObject({ reason: 'changed_since' });
  });
});

describe('finance.supplier_invoice.create', () => {
  const ACTION = 'finance.supplier_invoice.create';

  it.each(['draft', 'approved'])(
    'the reversal of the creation of a %s invoice voids it and releases its number',
    async (status) => {
      const made = await make(staff, { status });

      await reversed(app, made.id, ACTION);

      expect(await invoice(made.id)).toMatchObject({ status: 'void', voidReason: REASON });
      const { supplierName, invoiceNumber } = made;
      await make(staff, { supplierName, invoiceNumber });
    },
  );

  it('the creation of a zero-total invoice, which was paid at its approval, can be reversed', async () => {
    const made = await make(staff, { status: 'approved', totalCents: 0 });
    expect(made.status).toBe('paid');

    await reversed(app, made.id, ACTION);

    expect(await invoice(made.id)).toMatchObject({ status: 'void', voidReason: REASON, paidCents: 0 });
  });

  it('the reversal of the creation is blocked by payments', async () => {
    const { id, totalCents } = await approved(staff, 5_000);
    await recorded(staff, out(id, 2_000));

    expect(await blocked(app, id, ACTION)).toEqual({ reason: 'invoice_has_payments', paidCents: 2_000 });
    await recorded(staff, out(id, totalCents - 2_000));
    expect(await blocked(app, id, ACTION)).toMatchObject({ reason: 'invalid_transition', from: 'paid' });
  });
});

describe('finance.supplier_invoice.approve', () => {
  const ACTION = 'finance.supplier_invoice.approve';

  it.each([undefined, 0])('the reversal of an approval restores the draft (total %p)', async (totalCents) => {
    const made = await make(staff, totalCents === undefined ? {} : { totalCents });
    await staff.post(`${INVOICES}/${made.id}/approval`);

    await reversed(app, made.id, ACTION);

    expect(itself(await invoice(made.id))).toEqual(itself(made));
  });

  it('the reversal of an approval is blocked by payments, and that of an earlier approval by a later one', async () => {
    const paid = await approved(staff, 5_000);
    await recorded(staff, out(paid.id, 2_000));
    expect(await blocked(app, paid.id, ACTION)).toEqual({ reason: 'invoice_has_payments', paidCents: 2_000 });

    const { id } = await make(staff);
    await staff.post(`${INVOICES}/${id}/approval`);
    const [first] = (await page(app, { subjectId: id, action: ACTION })).data;
    await staff.post(`${INVOICES}/${id}/reopening`, { reason: 'Wrong' });
    await staff.post(`${INVOICES}/${id}/approval`);
    const path = `/v1/admin/action-ledger/entries/${first?.id}/reversals`;
    const answer = await staff.post<{ details: object }>(path, { reason: REASON });
    expect([answer.status, answer.body.details]).toMatchObject([409, { reason: 'approved_again' }]);
  });
});

describe('finance.invoice_number_series.create', () => {
  const ACTION = 'finance.invoice_number_series.create';

  it('the reversal of the creation of a series deactivates it', async () => {
    const made = await makeSeries(staff);

    await reversed(app, made.id, ACTION);

    expect(itself(await readSeries(staff, made.id))).toEqual({ ...itself(made), active: false });
  });

  it('the reversal restores the former default series unless that one is inactive by now or another one is the default', async () => {
    const asDefault = { documentType: 'proforma', isDefault: true };
    const isDefault = async ({ id }: { id: string }) => (await readSeries(staff, id)).isDefault;
    const first = await makeSeries(staff, asDefault);
    const second = await makeSeries(staff, asDefault);
    expect(await isDefault(first)).toBe(false);

    await reversed(app, second.id, ACTION);

    expect(await isDefault(first)).toBe(true);
    const [entry] = (await page(app, { subjectId: first.id })).data;
    expect(entry?.action).toBe('finance.invoice_number_series.update');

    const third = await makeSeries(staff, asDefault);
    await staff.patch(`${SERIES}/${first.id}`, { active: false });
    await reversed(app, third.id, ACTION);
    expect(await isDefault(first)).toBe(false);

    const [present, passing] = [await makeSeries(staff, asDefault), await makeSeries(staff, asDefault)];
    const latest = await makeSeries(staff, asDefault);
    await reversed(app, passing.id, ACTION);
    expect([await isDefault(latest), await isDefault(present)]).toEqual([true, false]);
  });

  it('the reversal is blocked if the series has assigned a number or is inactive already', async () => {
    const [used, idle] = [await makeSeries(staff), await makeSeries(staff)];
    await app.sql(
      `insert into invoice_number_counters (series_id, period_key, next_number, given, last_issue_date)
       values ($1, 'all', 2, 1, '2027-01-15')`,
      [used.id],
    );
    await staff.patch(`${SERIES}/${idle.id}`, { active: false });

    expect(await blocked(app, used.id, ACTION)).toEqual({ reason: 'series_in_use' });
    expect(await blocked(app, idle.id, ACTION)).toEqual({ reason: 'series_inactive' });
  });
});

describe('finance.commission.pay', () => {
  const ACTION = 'finance.commission.pay';

  it('the reversal of a payout makes the commission payable again', async () => {
    const { id: itemId } = await departedItem(staff);
    const line = await earn(staff, itemId, commissionTerms({ payableTrigger: 'departed' }));
    await staff.post(`${commission(line)}/payout`, { paidOn: '2026-01-31' });
    await reversed(app, line.id, ACTION);
    expect(await readLine(staff, line)).toMatchObject({ status: 'payable', paidOn: null });
  });

  it('the reversal of a payout is blocked if its payment was reversed already', async () => {
    const { id: itemId } = await departedItem(staff);
    const line = await earn(staff, itemId, commissionTerms({ payableTrigger: 'departed' }));
    await staff.post(`${commission(line)}/payout`, { paidOn: '2026-01-31' });
    const payouts = await staff.get<{ data: { id: string }[] }>(`${PAYMENTS}?commissionId=${line.id}`);
    expect((await reverse(staff, payouts.body.data[0]?.id ?? '')).status).toBe(200);
    expect(await blocked(app, line.id, ACTION)).toMatchObject({ reason: 'invalid_transition' });
  });
});

describe('finance.payment.record', () => {
  const ACTION = 'finance.payment.record';

  it('the reversal of a payment for a booking opens its installments', async () => {
    const booking = await bookingWith(app, {
      installments: [
        ['2027-01-01', 30_000],
        ['2027-02-01', 70_000],
      ],
    });
    const before = await installmentsOf(app, booking.id);
    const { id } = await recorded(staff, received(booking.id, 40_000));
    expect(await installmentsOf(app, booking.id)).not.toEqual(before);

    const { action } = await reversed(app, id, ACTION);

    expect(await installmentsOf(app, booking.id)).toEqual(before);
    expect(await read(staff, id)).toMatchObject({ status: 'reversed', reversalReason: REASON, allocations: [] });
    const actions = (await page(app, { subjectId: id })).data.map((entry) => entry.action);
    expect(actions).toEqual([action, ACTION]);
  });

  it('the reversal of a payment to a supplier opens the invoice', async () => {
    const bill = await approved(staff, 5_000);
    const { id } = await recorded(staff, out(bill.id, 5_000));

    await reversed(app, id, ACTION);

    expect(await settledOf(staff, bill.id)).toMatchObject({ status: 'approved', paidCents: 0 });
  });

  it('the reversal is blocked if the payment was reversed already', async () => {
    const bill = await approved(staff, 5_000);
    const { id } = await recorded(staff, out(bill.id, 5_000));
    expect((await reverse(staff, id)).status).toBe(200);

    expect(await blocked(app, id, ACTION)).toMatchObject({ reason: 'invalid_transition', from: 'reversed' });
    expect((await staff.get(`${PAYMENTS}/${id}`)).status).toBe(200);
  });
});
