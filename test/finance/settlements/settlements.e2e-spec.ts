/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentPlanJobs } from '../../../src/modules/finance/receivables/plans/payment-plans.jobs.js';
import { FinanceReminderSource } from '../../../src/modules/finance/receivables/reminders/finance-reminder-source.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import {
  addItem,
  type Booking,
  BOOKINGS,
  insisting,
  invalid,
  makeBooking,
  type One,
  problem,
  readBooking,
  staffWith,
} from '../../bookings/bookings.js';
import { assign, newDraft, newPolicy, publish } from '../../legal/policies.js';
import { newDeparture } from '../../operations/departures.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { insertRates } from '../exchange-rates/rates.js';

const FINANCE = '/v1/admin/finance';

interface Settlement extends Record<string, unknown> {
  id: string;
  status: string;
  restCents: number | null;
  refundId: string | null;
  feeInvoiceId: string | null;
  feeScheduleId: string | null;
}

interface Invoice extends Record<string, unknown> {
  id: string;
  number: string | null;
  status: string;
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  await insertRates(app, ['NOK']);
});

const today = () => app.day();
const path = (id: string) => `${FINANCE}/bookings/${id}/cancellation-settlement`;
const settle = (id: string, body: object = {}, client = owner) => client.post<One<Settlement>>(path(id), body);
const fee = (agreedFeeCents: number, more: object = {}) => ({ agreedFeeCents, feeReason: 'Agreed by phone', ...more });
const read = async (id: string) => (await owner.get<One<Settlement & { preview: object | null }>>(path(id))).body.data;
const readInvoice = async (id: string | null) =>
  (await owner.get<One<Invoice>>(`${FINANCE}/invoices/${String(id)}`)).body.data;
const cancel = async (id: string) =>
  expect((await owner.post<One<Booking>>(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' })).status).toBe(200);

async function post<Thing>(url: string, body: object, client = owner): Promise<Thing> {
  const answer = await insisting(() => client.post<One<Thing>>(url, body));
  if (answer.status > 201) throw new Error(`${url} was rejected: ${answer.text}`);
  return answer.body.data;
}

/** Creates a confirmed booking of 100000 in 60 days, with an issued invoice and this paid amount. */
async function sold({ paid = 0, currency = 'EUR', items = [{ unitSellCents: 100_000 }] as object[] } = {}) {
  const { id } = await makeBooking(owner, { currency, startDate: '2127-01-01' });
  for (const item of items) await addItem(owner, id, item);
  await post(`${BOOKINGS}/${id}/confirmation`, {});
  const draft = await post<Invoice>(`${FINANCE}/invoices`, { bookingId: id });
  const invoice = await post<Invoice>(`${FINANCE}/invoices/${draft.id}/issuance`, {});
  if (paid > 0) await pay(id, paid, currency);
  return { id, invoice };
}

const pay = (bookingId: string, amountCents: number, currency = 'EUR') =>
  post<{ id: string }>(`${FINANCE}/payments`, {
    bookingId,
    method: 'bank_transfer',
    currency,
    amountCents,
    paidOn: today(),
  });

const installments = (id: string) =>
  app.sql<{ type: string; status: string; amount: number; paid: number }>(
    `select type, status, amount_cents::int as amount, paid_cents::int as paid from payment_schedules
     where booking_id = $1 and status <> 'cancelled' order by position`,
    [id],
  );
const documents = (id: string) =>
  app.sql<{ type: string; status: string; total: number; paid: number; purpose: string | null }>(
    `select type, status, total_cents::int as total, paid_cents::int as paid, purpose from invoices
     where booking_id = $1 order by created_at, type`,
    [id],
  );
/** The numbers that the series have assigned. */
const numbers = async () => {
  const [row] = await app.sql<{ given: number }>('select sum(given)::int as given from invoice_number_counters');
  return row?.given ?? 0;
};

describe('settling a cancelled booking', () => {
  it('a settlement credits the invoice, bills the fee, and what was paid below the fee leaves a debt', async () => {
    const { id, invoice } = await sold({ paid: 30_000 });
    await cancel(id);
    const { status, body, text } = await settle(id, fee(50_000));
    expect([status, text]).toEqual([200, text]);
    const settlement = body.data;
    expect(settlement).toMatchObject({
      status: 'settled',
      agreedFeeCents: 50_000,
      feeReason: 'Agreed by phone',
      restCents: 0,
      refundId: null,
      settledOn: today(),
      preview: null,
    });
    expect(await readInvoice(invoice.id)).toMatchObject({ status: 'credited' });
    expect(await readInvoice(settlement.feeInvoiceId)).toMatchObject({
      status: 'partially_paid',
      scheduleId: settlement.feeScheduleId,
      dueDate: today(),
      totalCents: 50_000,
      taxCents: 0,
      paidCents: 30_000,
      balanceCents: 20_000,
    });
    expect(await installments(id)).toEqual([{ type: 'fee', status: 'pending', amount: 50_000, paid: 30_000 }]);
    expect(await documents(id)).toEqual([
      { type: 'invoice', status: 'credited', total: 100_000, paid: 0, purpose: null },
      { type: 'credit_note', status: 'issued', total: 100_000, paid: 0, purpose: null },
      { type: 'invoice', status: 'partially_paid', total: 50_000, paid: 30_000, purpose: 'cancellation_fee' },
    ]);
    expect(await read(id)).toEqual(settlement);
  });

  it('what was paid beyond the fee becomes a requested refund', async () => {
    const { id } = await sold({ paid: 80_000 });
    await cancel(id);
    const refund = { method: 'cash', reason: 'Fell ill' };
    const { body } = await settle(id, fee(50_000, { refund }));
    expect(body.data).toMatchObject({ restCents: 30_000, refundId: expect.stringMatching(/^pay_/) });
    const { body: payment } = await owner.get<One<object>>(`${FINANCE}/payments/${String(body.data.refundId)}`);
    expect(payment.data).toMatchObject({
      kind: 'refund',
      status: 'requested',
      amountCents: 30_000,
      method: 'cash',
      bookingId: id,
      dueOn: body.data['refundDueOn'],
    });
    expect(await installments(id)).toEqual([{ type: 'fee', status: 'paid', amount: 50_000, paid: 50_000 }]);
    expect(await readInvoice(body.data.feeInvoiceId)).toMatchObject({ status: 'paid' });
  });

  it('with the outcome credit the rest stays as unapplied money', async () => {
    const { id } = await sold({ paid: 80_000 });
    await cancel(id);
    const { body } = await settle(id, fee(50_000, { outcome: 'credit' }));
    expect(body.data).toMatchObject({ outcome: 'credit', restCents: 30_000, refundId: null });
    const [row] = await app.sql<{ cents: number }>(
      'select sum(unapplied_cents)::int as cents from payments where booking_id = $1',
      [id],
    );
    expect(row?.cents).toBe(30_000);
  });

  it('without a fee everything is credited and refunded, and no invoice is issued', async () => {
    const { id } = await sold({ paid: 100_000 });
    await cancel(id);
    const before = await numbers();
    const { body } = await settle(id, fee(0));
    expect(body.data).toMatchObject({ restCents: 100_000, feeInvoiceId: null, feeScheduleId: null });
    expect(await installments(id)).toEqual([]);
    expect(await numbers()).toBe(before + 1);
  });

  it('a booking without plan, invoice and money is settled by its fee alone', async () => {
    const { id } = await makeBooking(owner);
    await addItem(owner, id);
    await cancel(id);
    expect((await settle(id)).body.data).toMatchObject({ status: 'settled', agreedFeeCents: 0, restCents: 0 });
    expect(await documents(id)).toEqual([]);
  });

  it('the preview of a settlement names the invoices to be credited and the money received', async () => {
    const { id, invoice } = await sold({ paid: 80_000 });
    await cancel(id);
    expect((await read(id)).preview).toMatchObject({ creditedInvoiceIds: [invoice.id], receivedCents: 80_000 });
  });

  it('the preview of a settlement counts neither money that was refunded nor money that is about to be', async () => {
    const { id } = await sold();
    await pay(id, 130_000);
    const refund = { amountCents: 10_000, method: 'bank_transfer', reason: 'Paid twice' };
    const { id: refundId } = await post<Invoice>(`${FINANCE}/bookings/${id}/refunds`, refund);
    await post(`${FINANCE}/refunds/${refundId}/completion`, { paidOn: today() });
    await post(`${FINANCE}/bookings/${id}/refunds`, { ...refund, amountCents: 5_000 });
    await cancel(id);
    expect((await read(id)).preview).toMatchObject({ receivedCents: 115_000, restCents: 115_000 });
    expect((await settle(id)).body.data).toMatchObject({ restCents: 115_000 });
  });

  it('a fee that the terms do not determine is 409 fee_needs_decision until staff send one', async () => {
    const departure = await newDeparture(app);
    const policy = await newPolicy(app);
    await publish(app, await newDraft(app, policy.id, { rules: [{ type: 'custom' }] }));
    await assign(app, policy.id, { scope: 'product', targetId: departure.productId });
    const { id } = await sold({ items: [{ unitSellCents: 40_000, departureId: departure.id }] });
    await cancel(id);
    const before = await numbers();
    const rejected = await settle(id);
    expect([rejected.status, rejected.body]).toEqual([409, problem('fee_needs_decision', { totalCents: 40_000 })]);
    expect(await numbers()).toBe(before);
    expect((await settle(id, fee(10_000))).body.data).toMatchObject({ computedFeeCents: null, agreedFeeCents: 10_000 });
  });

  it('another fee needs a reason, is at most the total, and like credit notes requires finance:approve', async () => {
    const { id } = await sold();
    await cancel(id);
    const unexplained = await settle(id, { agreedFeeCents: 1 });
    expect([unexplained.status, unexplained.body]).toEqual([400, invalid('feeReason', 'required')]);
    const excessive = await settle(id, fee(100_001));
    expect([excessive.status, excessive.body]).toEqual([400, invalid('agreedFeeCents', 'fee_beyond_total')]);
    const clerk = await staffWith(app, 'finance:write', 'finance:read', 'bookings:read');
    for (const body of [fee(1), {}]) {
      expect((await settle(id, body, clerk)).body).toMatchObject({ details: { requiredScope: 'finance:approve' } });
    }
    expect(await read(id)).toMatchObject({ status: 'open', feeReason: null });
  });

  it('a second settlement is 409 settlement_done and takes no number, and the booking cannot be reinstated', async () => {
    const { id } = await sold({ paid: 80_000 });
    await cancel(id);
    await settle(id, fee(50_000));
    const before = await numbers();
    const { status, body } = await settle(id, fee(0));
    expect([status, body]).toEqual([409, problem('settlement_done', { settledOn: today() })]);
    expect(await numbers()).toBe(before);
    const reinstated = await owner.post(`${BOOKINGS}/${id}/reinstatement`, { reason: 'By mistake' });
    expect([reinstated.status, reinstated.body]).toMatchObject([409, { code: 'settlement_done' }]);
    expect((await readBooking(owner, id)).status).toBe('cancelled');
  });

  it('a booking that is not cancelled has nothing to settle', async () => {
    const { id } = await sold();
    expect((await settle(id, fee(0))).status).toBe(404);
  });

  it('concurrent settlements settle once', async () => {
    const { id } = await sold({ paid: 80_000 });
    await cancel(id);
    const before = await numbers();
    const answers = await Promise.all(Array.from({ length: 6 }, () => insisting(() => settle(id, fee(50_000)))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect(await numbers()).toBe(before + 2);
    expect(await documents(id)).toHaveLength(3);
  });

  it('concurrent settlement and reinstatement: one of them succeeds', async () => {
    const { id } = await sold({ paid: 80_000 });
    await cancel(id);
    const reinstate = () => owner.post(`${BOOKINGS}/${id}/reinstatement`, { reason: 'By mistake' });
    const [settled, reinstated] = await Promise.all([insisting(() => settle(id, fee(0))), insisting(reinstate)]);
    const { status } = await readBooking(owner, id);
    expect([settled.status, reinstated.status]).toEqual(status === 'cancelled' ? [200, 409] : [404, 200]);
  });

  it('as a supply, the fee contains the tax of the tax codes of the items, with a line for each of their rates', async () => {
    const code = async (rateBasisPoints: number, later: object[] = []) =>
      post<{ id: string }>(`${FINANCE}/tax-codes`, {
        code: `F${rateBasisPoints}-${Date.now() % 1_000_000}`,
        name: 'Rate',
        country: 'DE',
        kind: rateBasisPoints === 1900 ? 'standard' : 'reduced',
        rates: [{ rateBasisPoints, validFrom: '2000-01-01', ...(later[0] && { validTo: '2126-12-31' }) }, ...later],
      });
    const [standard, reduced] = [
      await code(1900, [{ rateBasisPoints: 2_100, validFrom: '2127-01-01' }]),
      await code(700),
    ];
    const { id } = await sold({
      items: [
        { unitSellCents: 59_500, taxCodeId: standard.id, serviceDate: '2126-12-31' },
        { unitSellCents: 59_500, taxCodeId: standard.id, serviceDate: '2127-01-01' },
        { unitSellCents: 10_700, taxCodeId: reduced.id },
      ],
    });
    await app.sql(`update finance_settings set cancellation_fee_tax = 'as_supply'`);
    try {
      await cancel(id);
      const { body } = await settle(id, fee(50_000));
      const lines = await app.sql<{ total: number; tax: number; rate: number }>(
        `select total_cents::int as total, tax_cents::int as tax, tax_rate_basis_points as rate from invoice_lines
         where invoice_id = $1 order by rate`,
        [body.data.feeInvoiceId],
      );
      expect(lines).toEqual([
        { total: 4_125, tax: 270, rate: 700 },
        { total: 22_938, tax: 3_662, rate: 1_900 },
        { total: 22_937, tax: 3_981, rate: 2_100 },
      ]);
    } finally {
      await app.sql(`update finance_settings set cancellation_fee_tax = 'outside_scope'`);
    }
  });

  it('a settlement publishes booking.settled and has ledger entries for open, update and settle', async () => {
    const { id } = await sold({ paid: 80_000 });
    await cancel(id);
    const { body } = await settle(id, fee(50_000));
    const actions = await app.sql<{ action: string }>(
      'select action from action_ledger_entries where subject_id = $1 order by sequence',
      [body.data.id],
    );
    expect(actions.map(({ action }) => action.split('.').at(-1))).toEqual(['open', 'update', 'settle']);
    const sent = () =>
      app.sql<{ data: object }>(
        `select data from realtime_messages where event = 'booking.settled' and data->>'bookingId' = $1`,
        [id],
      );
    while ((await sent()).length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await sent())[0]?.data).toMatchObject({ feeCents: 50_000, restCents: 30_000, outcome: 'refund' });
  });
});

describe('settling a cancelled booking in a foreign currency', () => {
  it('without an exchange rate the settlement is rejected, and the error names no member that its request lacks', async () => {
    const { id } = await makeBooking(owner, { currency: 'MKD', startDate: '2127-01-01' });
    await addItem(owner, id, { unitSellCents: 100_000 });
    await post(`${BOOKINGS}/${id}/confirmation`, {});
    await cancel(id);
    const { status, body } = await settle(id, fee(50_000));
    expect([status, body]).toEqual([409, problem('rate_missing', { from: 'MKD', to: 'EUR', day: today() })]);
    expect(await documents(id)).toEqual([]);
  });
});

describe('the debts of a cancelled booking', () => {
  const targets = (id: string) =>
    asSystem(() =>
      app.nest
        .get(FinanceReminderSource)
        .ofBookings([id], ['deposit_due', 'balance_due', 'installment_due', 'invoice_due']),
    );
  const overdue = (id: string) =>
    app.sql<{ type: string }>(
      `select s.type from payment_schedules_overdue o join payment_schedules s on s.id = o.schedule_id
       where s.booking_id = $1`,
      [id],
    );
  const agingCents = async () => {
    const { body } = await owner.get<{ data: { currencies: { currency: string; totalCents: number }[] } }>(
      `${FINANCE}/aging`,
    );
    return body.data.currencies.find(({ currency }) => currency === 'NOK')?.totalCents ?? 0;
  };

  it('aging, reminders and the overdue job contain the fee of a cancelled booking and nothing else', async () => {
    const { id } = await sold({ paid: 20_000, currency: 'NOK' });
    expect(await agingCents()).toBe(80_000);
    await cancel(id);
    expect([await agingCents(), await targets(id)]).toEqual([0, []]);
    const { body } = await settle(id, fee(50_000));
    expect(await agingCents()).toBe(30_000);
    expect((await targets(id)).map(({ targetId }) => targetId).sort()).toEqual(
      [body.data.feeInvoiceId, body.data.feeScheduleId].sort(),
    );
    app.travel({ days: 2 });
    try {
      await asSystem(() => app.nest.get(PaymentPlanJobs).publishOverdue());
    } finally {
      app.travel({ days: -2 });
    }
    expect(await overdue(id)).toEqual([{ type: 'fee' }]);
    await pay(id, 30_000, 'NOK');
    expect([await agingCents(), await targets(id)]).toEqual([0, []]);
  });
});
