import { newRule } from '../notifications/reminders.js';
import { bookingWith, received } from '../finance/payments/bookings.js';
import { recorded } from '../finance/payments/payments.js';
import { closeMonths } from '../finance/periods/months.js';
import type { TestApp } from '../setup/app.js';
import { made, on, post, type Recipe, staff } from './recipe.js';

const BOOKING = '/v1/admin/finance/bookings/{bookingId}';
const REFUNDS = '/v1/admin/finance/refunds';
const TRANSFERS = '/v1/admin/finance/transfers';
const PERIODS = '/v1/admin/finance/periods';
const REASON = { reason: 'Agreed with the customer' };

/** Refunds, transfers, reminders by hand and accounting periods. */
export const moneyRecipes: Record<string, Recipe> = {
  [`POST ${BOOKING}/refunds`]: async (app) => ({
    ...staff(app),
    parameters: { bookingId: await paidBooking(app) },
    body: { amountCents: 100, method: 'bank_transfer', ...REASON },
    subject: made('payment'),
    follows: ['finance.payment.allocate'],
  }),
  [`POST ${REFUNDS}/{id}/completion`]: async (app) => ({
    ...staff(app),
    ...on('payment', await requestedRefund(app)),
    body: { paidOn: app.day() },
  }),
  [`POST ${REFUNDS}/{id}/failure`]: async (app) => ({
    ...staff(app),
    ...on('payment', await requestedRefund(app)),
    body: REASON,
    follows: ['finance.payment.deallocate'],
  }),
  [`POST ${BOOKING}/transfers`]: async (app) => {
    const [bookingId, toBookingId] = await bookingsOfOneCustomer(app);
    return {
      ...staff(app),
      parameters: { bookingId },
      body: { toBookingId, amountCents: 100, ...REASON },
      subject: made('payment_transfer'),
      follows: ['finance.payment.allocate'],
    };
  },
  [`POST ${TRANSFERS}/{id}/reversal`]: async (app) => {
    const [bookingId, toBookingId] = await bookingsOfOneCustomer(app);
    const path = `/v1/admin/finance/bookings/${bookingId}/transfers`;
    const { id } = await post(app, path, { toBookingId, amountCents: 100, ...REASON });
    return { ...staff(app), ...on('payment_transfer', id), body: REASON, follows: ['finance.payment.deallocate'] };
  },
  [`POST ${BOOKING}/reminder-runs`]: async (app) => {
    await newRule(app, { trigger: 'installment_due', stages: [{ channels: [{ channel: 'email' }] }] });
    const { id: bookingId, schedules } = await bookingWith(app, { installments: [[app.day(), 1_000]] });
    await app.sql('update bookings set customer_email = $2 where id = $1', [bookingId, 'clara@example.com']);
    return {
      ...staff(app),
      parameters: { bookingId },
      body: { scheduleId: schedules[0] },
      subject: made('reminder_run'),
    };
  },
  [`POST ${PERIODS}/{period}/closing`]: async (app) => {
    const period = await nextMonth(app);
    return { ...staff(app), parameters: { period }, subject: () => ({ type: 'accounting_period', id: period }) };
  },
  [`POST ${PERIODS}/{period}/reopening`]: async (app) => ({ ...(await closedMonth(app)), body: REASON }),
  [`POST ${PERIODS}/{period}/filing`]: async (app) => ({ ...(await closedMonth(app)), body: { reference: 'VAT 1' } }),
};

async function paidBooking(app: TestApp): Promise<string> {
  const { id } = await bookingWith(app);
  await recorded(app.as('owner'), received(id, 1_000, { allocations: [] }));
  return id;
}

async function requestedRefund(app: TestApp): Promise<string> {
  const path = `/v1/admin/finance/bookings/${await paidBooking(app)}/refunds`;
  return (await post(app, path, { amountCents: 100, method: 'bank_transfer', ...REASON })).id;
}

async function bookingsOfOneCustomer(app: TestApp): Promise<[string, string]> {
  const ids: [string, string] = [await paidBooking(app), (await bookingWith(app)).id];
  const address = `${ids[0]}@example.com`;
  await app.sql('update bookings set customer_email = $2 where id = any ($1)', [ids, address]);
  return ids;
}

/** The month after the latest closed one; before that the first month with a posting. */
async function nextMonth(app: TestApp): Promise<string> {
  const [row] = await app.sql<{ period: string }>(`
    select coalesce(
      (select to_char(to_date(max(period), 'YYYY-MM') + interval '1 month', 'YYYY-MM')
       from accounting_periods where status <> 'open'),
      (select min(period) from accounting_periods)) as period`);
  return row?.period ?? '';
}

async function closedMonth(app: TestApp) {
  const period = await nextMonth(app);
  await closeMonths(app, period);
  return { ...staff(app), parameters: { period }, subject: () => ({ type: 'accounting_period', id: period }) };
}
