import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { bookingWith, received } from '../payments/bookings.js';
import { approved, out, recorded, reverse } from '../payments/payments.js';
import { broken, entry, tamper, verify } from './tampering.js';

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
    await tamper(
      app,
      'payment_allocations',
      `insert into payment_allocations (id, payment_id, schedule_id, amount_cents, effective_on, created_at)
       values ('pall_ghost', '${id}', '${schedules[0]}', 30, '2026-01-15', now())`,
    );
    expect(broken(await verify(owner))).toEqual({
      payment_conservation: entry('payment', id, [400, 430]),
      payment_reversed: entry('payment', id, [0, 30]),
      installment_paid: entry('payment_schedule', schedules[0] ?? '', [30, 0]),
    });
    await tamper(app, 'payment_allocations', `delete from payment_allocations where id = 'pall_ghost'`);
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
    const move = (to: string) =>
      tamper(
        app,
        'payment_allocations',
        `update payment_allocations set supplier_invoice_id = '${to}' where payment_id = '${id}'`,
      );
    await move(other.id);
    const found = broken(await verify(owner));
    expect(Object.keys(found).sort()).toEqual(['allocation_debt', 'supplier_invoice_paid']);
    expect(found['allocation_debt']).toEqual(entry('payment', id, [0, 300]));
    expect(found['supplier_invoice_paid']).toHaveLength(2);
    await move(mine.id);
  });

  it('the integrity report names a plan that does not add up to the total of its booking', async () => {
    const { id, schedules } = await bookingWith(app, { installments: [['2026-03-01', 1000]] });
    const set = (cents: number) =>
      tamper(
        app,
        'payment_schedules',
        `update payment_schedules set amount_cents = ${cents} where id = '${schedules[0]}'`,
      );
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
    expect(broken(await verify(owner))).toEqual({ supplier_invoice_total: entry('supplier_invoice', id, [999, 1000]) });
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
    expect(broken(await verify(owner))).toEqual({ invoice_total: entry('invoice', 'inv_lines', [99, 100]) });
    await tamper(app, 'invoices', removed('inv_lines'));
  });

  /** Issues an invoice without the service; the number is made of its id. */
  const issued = async (id: string, bookingId: string, cents: number) => {
    const { body } = await owner.post<{ data: { id: string } }>('/v1/admin/finance/invoice-number-series', {
      name: id,
      prefix: `${id}-`,
      isDefault: false,
    });
    await tamper(app, 'invoices', `${invoice(id, bookingId, cents)}; ${line(id, cents)}`);
    await tamper(
      app,
      'invoices',
      `update invoices set status = 'issued', number = '${id}-1', series_id = '${body.data.id}', period_key = 'all',
         sequence = 1, issue_date = '2026-01-15', due_date = '2026-01-15', issued_at = now(), seller_name = 'Travel'
       where id = '${id}'`,
    );
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

  it('the integrity report names money that paid an invoice before the plan existed and settles no installment', async () => {
    const { id, schedules } = await bookingWith(app, { installments: [['2026-03-01', 1000]] });
    await issued('inv_planned', id, 1000);
    const { id: paymentId } = await recorded(owner, received(id, 300));
    const settle = (schedule: string, invoiceId: string, paidOfSchedule: number) =>
      tamper(
        app,
        'payment_allocations',
        `update payment_allocations set schedule_id = ${schedule}, invoice_id = ${invoiceId},
           created_at = created_at - interval '1 day' where payment_id = '${paymentId}';
         alter table payment_schedules disable trigger user;
         update payment_schedules set paid_cents = ${paidOfSchedule} where id = '${schedules[0]}';
         alter table payment_schedules enable trigger user`,
      );
    await settle('null', `'inv_planned'`, 0);
    await paid('inv_planned', 300, 'partially_paid');
    expect(broken(await verify(owner))).toEqual({ invoice_money_planned: entry('invoice', 'inv_planned', [0, 300]) });
    await paid('inv_planned', 0, 'issued');
    await settle(`'${schedules[0]}'`, 'null', 300);
    expect(broken(await verify(owner))).toEqual({});
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
    await tamper(
      app,
      'booking_items',
      `update booking_items set status = 'cancelled', cancelled_at = now() where id = '${itemId}'`,
    );
    const found = broken(await verify(owner));
    expect(Object.keys(found).sort()).toEqual(['booking_total', 'commission_clawback']);
    expect(found['commission_clawback']).toEqual(entry('booking_item', itemId, [0, 500]));
    await tamper(
      app,
      'booking_items',
      `update booking_items set status = 'confirmed', cancelled_at = null where id = '${itemId}'`,
    );
  });
});
