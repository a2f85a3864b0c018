import { change, departedItem, earn, terms } from '../commissions/commissions.js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { draft, issue, sell } from '../invoices/invoicing.js';
import { bookingWith, received } from '../payments/bookings.js';
import { approved, out, recorded, reverse } from '../payments/payments.js';
import { broken, entry, HISTORIES, tamper, verify, violatedBy } from './tampering.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

describe('the report of broken accounting rules', () => {
  it('the integrity report names a payment that differs from its allocations plus its unapplied amount', async () => {
    const { id: bookingId } = await bookingWith(app);
    const { id } = await recorded(owner, received(bookingId, 500));
    const set = (cents: number) =>
      tamper(app, 'payments', `update payments set unapplied_cents = ${cents} where id = '${id}'`);
    await set(499);
    expect(broken(await verify(owner))).toEqual({ payment_conservation: entry('payment', id, [500, 499]) });
    await set(500);
  });

  it('the integrity report names a reversed payment with an active allocation', async () => {
    const { id: bookingId, schedules } = await bookingWith(app, { installments: [['2026-03-01', 1000]] });
    const { id } = await recorded(owner, received(bookingId, 400));
    await reverse(owner, id);
    const settle = (cents: number) => `update payment_schedules set paid_cents = ${cents} where id = '${schedules[0]}'`;
    const found = await violatedBy(app, owner, {
      tables: ['payment_allocations', 'payment_schedules'],
      change: `${settle(30)};
        insert into payment_allocations (id, payment_id, schedule_id, amount_cents, effective_on, created_at)
        values ('pall_ghost', '${id}', '${schedules[0]}', 30, '2026-01-15', now())`,
      restore: `${settle(0)}; delete from payment_allocations where id = 'pall_ghost'`,
    });
    expect(found).toEqual({ payment_reversed: entry('payment', id, [0, 30]) });
  });

  it('the integrity report names an installment whose paid amount differs from its allocations', async () => {
    const { schedules } = await bookingWith(app, { installments: [['2026-03-01', 1000]] });
    const [id = ''] = schedules;
    const set = (cents: number) =>
      tamper(app, 'payment_schedules', `update payment_schedules set paid_cents = ${cents} where id = '${id}'`);
    await set(7);
    expect(broken(await verify(owner))).toEqual({ installment_paid: entry('payment_schedule', id, [0, 7]) });
    await set(0);
  });

  it('the integrity report names a supplier invoice whose paid amount differs from its allocations', async () => {
    const { id } = await approved(owner, 1000);
    await recorded(owner, out(id, 300));
    const set = (cents: number) =>
      tamper(app, 'supplier_invoices', `update supplier_invoices set paid_cents = ${cents} where id = '${id}'`);
    await set(301);
    expect(broken(await verify(owner))).toEqual({ supplier_invoice_paid: entry('supplier_invoice', id, [300, 301]) });
    await set(300);
  });

  it('the integrity report names a payment that settles a supplier invoice other than its own', async () => {
    const [mine, other] = [await approved(owner, 1000), await approved(owner, 1000)];
    const { id } = await recorded(owner, out(mine.id, 300));
    const move = (from: string, to: string) => `
      update payment_allocations set supplier_invoice_id = '${to}' where payment_id = '${id}';
      update supplier_invoices set paid_cents = case id when '${to}' then 300 else 0 end where id in ('${from}', '${to}')`;
    const found = await violatedBy(app, owner, {
      tables: ['payment_allocations', 'supplier_invoices'],
      change: move(mine.id, other.id),
      restore: move(other.id, mine.id),
    });
    expect(found).toEqual({ allocation_debt: entry('payment', id, [0, 300]) });
  });

  it('the integrity report names a plan that does not add up to the total of its booking', async () => {
    const { id, schedules } = await bookingWith(app, { installments: [['2026-03-01', 1000]] });
    const set = (cents: number) =>
      tamper(app, 'payment_schedules', {
        sql: `update payment_schedules set amount_cents = ${cents} where id = '${schedules[0]}'`,
        kept: HISTORIES,
      });
    await set(1001);
    expect(broken(await verify(owner))).toEqual({ plan_total: entry('booking', id, [1000, 1001]) });
    await set(1000);
  });

  it('the integrity report names a booking whose total is not the sum of its items', async () => {
    const { id } = await bookingWith(app);
    const set = (cents: number) =>
      tamper(app, 'bookings', `update bookings set total_cents = ${cents} where id = '${id}'`);
    await set(99_999);
    expect(broken(await verify(owner))).toEqual({ booking_total: entry('booking', id, [100_000, 99_999]) });
    await set(100_000);
  });

  it('the integrity report names a supplier invoice whose lines do not add up to its total', async () => {
    const { id } = await approved(owner, 1000, { lines: [{ description: 'Bus', unitAmountCents: 1000 }] });
    const set = (cents: number) =>
      tamper(
        app,
        'supplier_invoice_lines',
        `update supplier_invoice_lines set unit_amount_cents = ${cents}, total_amount_cents = ${cents}
         where invoice_id = '${id}'`,
      );
    await set(999);
    expect(broken(await verify(owner))).toEqual({ document_sums: entry('supplier_invoice', id, [999, 1000]) });
    await set(1000);
  });

  const invoice = (id: string, bookingId: string, total: number) =>
    `insert into invoices (id, type, booking_id, status, payer_name, currency, subtotal_cents, tax_cents, total_cents,
       paid_cents, version, created_at, updated_at)
     values ('${id}', 'invoice', '${bookingId}', 'draft', 'Clara', 'EUR', ${total}, 0, ${total}, 0, 1, now(), now())`;
  const line = (id: string, cents: number) =>
    `insert into invoice_lines (invoice_id, position, description, quantity, unit_price_cents, net_cents, tax_cents,
       total_cents) values ('${id}', 1, 'Tour', 1, ${cents}, ${cents}, 0, ${cents})`;
  const removed = (id: string) =>
    `delete from invoice_lines where invoice_id = '${id}'; delete from invoices where id = '${id}'`;

  it('the integrity report names an invoice whose lines do not add up to its total', async () => {
    const { id } = await bookingWith(app);
    await tamper(app, 'invoices', `${invoice('inv_lines', id, 100)}; ${line('inv_lines', 99)}`);
    expect(broken(await verify(owner))).toEqual({ document_sums: entry('invoice', 'inv_lines', [99, 100]) });
    await tamper(app, 'invoices', removed('inv_lines'));
  });

  /** Issues an invoice without the service; the number is made of its id. */
  const issued = async (id: string, bookingId: string, cents: number) => {
    const { body } = await owner.post<{ data: { id: string } }>('/v1/admin/finance/invoice-number-series', {
      name: id,
      prefix: `${id}-`,
      pattern: '{prefix}{SEQ}',
      isDefault: false,
    });
    await tamper(app, 'invoices', `${invoice(id, bookingId, cents)}; ${line(id, cents)}`);
    await tamper(app, 'invoices', {
      sql: `insert into invoice_number_counters (series_id, period_key, next_number, given, last_issue_date)
       values ('${body.data.id}', 'all', 2, 1, '2026-01-15');
       update invoices set status = 'issued', number = '${id}-1', series_id = '${body.data.id}', period_key = 'all',
         sequence = 1, issue_date = '2026-01-15', due_date = '2026-01-15', issued_at = now(), seller_name = 'Travel'
       where id = '${id}'`,
      kept: { invoices: ['invoices_summarize_tax'] },
    });
  };
  const paid = (id: string, cents: number, status: string) =>
    tamper(app, 'invoices', `update invoices set status = '${status}', paid_cents = ${cents} where id = '${id}'`);

  it('the integrity report names an invoice whose paid amount differs from its allocations', async () => {
    const { id } = await bookingWith(app);
    await issued('inv_paid', id, 100);
    await paid('inv_paid', 5, 'partially_paid');
    expect(broken(await verify(owner))).toEqual({ invoice_paid: entry('invoice', 'inv_paid', [0, 5]) });
    await paid('inv_paid', 0, 'issued');
  });

  it('the integrity report names money on an invoice alone beside an open installment', async () => {
    const { id, schedules } = await bookingWith(app, { installments: [['2026-03-01', 1000]] });
    await issued('inv_planned', id, 1000);
    const { id: paymentId } = await recorded(owner, received(id, 300));
    const settle = (schedule: string, cents: number) => `
      update payment_allocations set schedule_id = ${schedule} where payment_id = '${paymentId}';
      update payment_schedules set paid_cents = ${cents} where id = '${schedules[0]}'`;
    const found = await violatedBy(app, owner, {
      tables: ['payment_allocations', 'payment_schedules'],
      change: settle('null', 0),
      restore: settle(`'${schedules[0]}'`, 300),
    });
    expect(found).toEqual({ cash_applied: entry('booking', id, [0, 300]) });
  });

  it('the integrity report names a booking that is billed above its price, if the price did not fall in the last 30 days', async () => {
    const { id } = await bookingWith(app);
    await issued('inv_more', id, 100_001);
    expect(broken(await verify(owner))).toEqual({});
    const age = (days: number) =>
      tamper(
        app,
        'booking_item_history',
        `update booking_item_history set effective_on = effective_on - ${days}
         where item_id in (select id from booking_items where booking_id = '${id}')`,
      );
    await age(30);
    expect(broken(await verify(owner))).toEqual({ billed_within_claim: entry('booking', id, [100_000, 100_001]) });
    await age(-30);
  });
});

describe('the integrity report about the money of customers', () => {
  const refund = async (bookingId: string, amountCents: number) => {
    const { status, body } = await owner.post<{ data: { id: string } }>(
      `/v1/admin/finance/bookings/${bookingId}/refunds`,
      { amountCents, method: 'bank_transfer', reason: 'Paid too much' },
    );
    expect(status).toBe(201);
    return body.data.id;
  };
  const complete = async (id: string) => {
    const { status } = await owner.post(`/v1/admin/finance/refunds/${id}/completion`, { paidOn: '2026-03-01' });
    expect(status).toBe(200);
  };

  it('the integrity report names a booking whose balance is not what its installments and its money say', async () => {
    const { id } = await bookingWith(app, { installments: [['2026-03-01', 1000]] });
    await recorded(owner, received(id, 1150));
    await refund(id, 150);
    const found = await violatedBy(app, owner, {
      tables: ['payment_plans', 'payment_schedules'],
      change: `
        insert into payment_plans (id, booking_id, plan_version, source, total_cents, is_current, created_at)
        values ('plan_stray', '${id}', 2, 'none', 70, false, now());
        insert into payment_schedules (id, booking_id, plan_id, plan_version, currency, position, type, label, basis,
          date_source, due_date, amount_cents, paid_cents, status, waived, version, created_at, updated_at)
        values ('psch_stray', '${id}', 'plan_stray', 2, 'EUR', 1, 'balance', 'Balance', 'manual', 'manual', '2026-03-01', 70, 0,
          'pending', false, 1, now(), now())`,
      restore: `delete from payment_schedules where id = 'psch_stray'; delete from payment_plans where id = 'plan_stray'`,
      kept: HISTORIES,
    });
    expect(found).toEqual({ balance_identity: entry('booking', id, [-150, -80]) });
  });

  it('the integrity report names a booking without a plan whose debts are settled by money that was not received', async () => {
    const { id } = await bookingWith(app);
    await recorded(owner, received(id, 500));
    const refundId = await refund(id, 500);
    await complete(refundId);
    const { body } = await owner.post<{ data: { id: string } }>('/v1/admin/finance/invoices', { bookingId: id });
    const invoiceId = body.data.id;
    expect((await owner.post(`/v1/admin/finance/invoices/${invoiceId}/issuance`, {})).status).toBe(200);
    const settle = (status: string, cents: number) =>
      `update invoices set status = '${status}', paid_cents = ${cents} where id = '${invoiceId}'`;
    const found = await violatedBy(app, owner, {
      tables: ['payment_allocations', 'invoices'],
      change: `${settle('partially_paid', 30)};
        insert into payment_allocations (id, payment_id, invoice_id, amount_cents, effective_on, created_at)
        values ('pall_ghost', '${refundId}', '${invoiceId}', 30, '2026-03-01', now())`,
      restore: `${settle('issued', 0)}; delete from payment_allocations where id = 'pall_ghost'`,
    });
    expect(found).toEqual({ customer_money: entry('booking', id, [0, 30]), journals_balance: expect.any(Array) });
    expect(found['journals_balance']).toContainEqual(entry('booking', id, [100_000, 99_970])[0]);
  });

  it('the integrity report names unapplied money beside an open installment, unless staff have freed it', async () => {
    const { id } = await bookingWith(app, { installments: [['2026-03-01', 1000]] });
    const { id: paymentId, allocations } = await recorded(owner, received(id, 300));
    await owner.delete(`/v1/admin/finance/payments/${paymentId}/allocations/${allocations[0]?.id}`);
    const apply = (auto: boolean) => `update payments set auto_apply = ${auto} where id = '${paymentId}'`;
    const found = await violatedBy(app, owner, { tables: ['payments'], change: apply(true), restore: apply(false) });
    expect(found).toEqual({ cash_applied: entry('booking', id, [0, 300]) });
  });

  it('the integrity report names a refund whose covered amount differs from its allocations', async () => {
    const { id } = await bookingWith(app);
    await recorded(owner, received(id, 500));
    const refundId = await refund(id, 100);
    const cover = (cents: number) => `update payments set covered_cents = ${cents} where id = '${refundId}'`;
    const found = await violatedBy(app, owner, { tables: ['payments'], change: cover(99), restore: cover(100) });
    expect(found).toEqual({ refunds_covered: entry('payment', refundId, [100, 99]) });
  });

  it('the integrity report names a refund that is not covered completely though no receipt was reversed', async () => {
    const { id } = await bookingWith(app);
    const { id: paymentId } = await recorded(owner, received(id, 500));
    const refundId = await refund(id, 100);
    await complete(refundId);
    const cover = (cents: number, auto: boolean) => `
      update payment_allocations set amount_cents = ${cents} where refund_id = '${refundId}';
      update payments set covered_cents = ${cents} where id = '${refundId}';
      update payments set unapplied_cents = ${500 - cents}, auto_apply = ${auto} where id = '${paymentId}'`;
    const found = await violatedBy(app, owner, {
      tables: ['payments', 'payment_allocations'],
      change: cover(60, false),
      restore: cover(100, true),
    });
    expect(found).toEqual({ refunds_covered: entry('payment', refundId, [100, 60]) });

    await reverse(owner, paymentId);
    expect(broken(await verify(owner))).toEqual({});
  });

  it('the integrity report names a booking whose journals do not lead to its balance, and the total of the month', async () => {
    const { id, scheduleIds } = await sell(app, { plan: [100_000] });
    const invoice = await draft(owner, { bookingId: id, scheduleId: scheduleIds[0] });
    expect((await issue(owner, invoice.id)).status).toBe(200);
    const { id: paymentId } = await recorded(owner, received(id, 40_000));
    const post = (days: number) =>
      `update payments set posting_date = posting_date + ${days} where id = '${paymentId}'`;
    const found = await violatedBy(app, owner, { tables: ['payments'], change: post(400), restore: post(-400) });
    expect(Object.keys(found)).toEqual(['journals_balance']);
    const [total, booking] = found['journals_balance'] ?? [];
    expect([booking]).toEqual(entry('booking', id, [100_000, 60_000]));
    expect(total).toMatchObject({ subjectType: 'accounting_period', subjectId: app.day().slice(0, 7) });
    expect(Number(total?.expectedCents) - Number(total?.actualCents)).toBe(40_000);
  });

  it('the integrity report names a transfer whose halves differ', async () => {
    const [from, to] = [(await bookingWith(app)).id, (await bookingWith(app)).id];
    await app.sql(`update bookings set customer_email = 'ada@example.com' where id = any($1)`, [[from, to]]);
    await recorded(owner, received(from, 500));
    const { body } = await owner.post<{ data: { id: string } }>(`/v1/admin/finance/bookings/${from}/transfers`, {
      toBookingId: to,
      amountCents: 200,
      reason: 'Booked another tour',
    });
    const halves = await app.sql<{ id: string; kind: string }>(
      `select id, kind from payments where transfer_id = $1 order by kind desc`,
      [body.data.id],
    );
    expect(halves.map(({ kind }) => kind)).toEqual(['transfer_out', 'transfer_in']);
    const set = (cents: number) =>
      `update payments set amount_cents = ${cents}, unapplied_cents = ${cents} where id = '${halves[1]?.id}'`;
    const found = await violatedBy(app, owner, { tables: ['payments'], change: set(201), restore: set(200) });
    expect(found).toEqual({ transfers_paired: entry('payment', halves[0]?.id ?? '', [200, 201]) });
  });
});

describe('the integrity report about commissions', () => {
  async function itemWith(amountCents: number): Promise<{ itemId: string; lineId: string }> {
    const { id } = await bookingWith(app);
    const [item] = await app.sql<{ id: string }>('select id from booking_items where booking_id = $1', [id]);
    const { status, body } = await owner.post<{ data: { id: string } }>(
      `/v1/admin/finance/booking-items/${item?.id}/commissions`,
      { recipientType: 'agency', recipientName: 'Reisebuero', commissionModel: 'fixed', amountCents },
    );
    expect(status).toBe(201);
    return { itemId: item?.id ?? '', lineId: body.data.id };
  }

  it('the integrity report names commissions that together exceed the price of their item', async () => {
    const { itemId, lineId } = await itemWith(500);
    const set = (cents: number) =>
      tamper(app, 'commission_lines', `update commission_lines set amount_cents = ${cents} where id = '${lineId}'`);
    await set(100_001);
    expect(broken(await verify(owner))).toEqual({
      commission_total: entry('booking_item', itemId, [100_000, 100_001]),
    });
    await set(500);
  });

  it('the integrity report names an active commission of a cancelled item', async () => {
    const { itemId } = await itemWith(500);
    const set = (status: string, cancelledAt: string, cents: number) => `
      update booking_items set status = '${status}', cancelled_at = ${cancelledAt} where id = '${itemId}';
      update bookings set total_cents = ${cents} where id = (select booking_id from booking_items where id = '${itemId}')`;
    const found = await violatedBy(app, owner, {
      tables: ['booking_items', 'bookings'],
      change: set('cancelled', 'now()', 0),
      restore: set('confirmed', 'null', 100_000),
      kept: HISTORIES,
    });
    expect(found).toEqual({ commission_clawback: entry('booking_item', itemId, [0, 500]) });
  });

  it('the integrity report names a commission that was paid out over another amount than its payment', async () => {
    const item = await departedItem(owner);
    const line = await earn(owner, item.id, terms({ payableTrigger: 'departed' }));
    expect((await owner.post(`${change(line)}/payout`, { paidOn: '2026-01-31' })).status).toBe(200);
    const set = (cents: number) =>
      tamper(app, 'commission_lines', `update commission_lines set amount_cents = ${cents} where id = '${line.id}'`);
    await set(9_999);
    expect(broken(await verify(owner))).toEqual({ commission_payouts: entry('commission', line.id, [9_999, 10_000]) });
    await set(10_000);
  });
});
