import type { TestApp } from '../setup/app.js';
import { inside, made, post, type Recipe, staff } from './recipe.js';

const BOOKINGS = '/v1/admin/bookings';
const COMMISSIONS = '/v1/admin/finance/booking-items/{bookingItemId}/commissions';

/** Successful calls of all mutating routes of commissions. */
export const commissionRecipes: Record<string, Recipe> = {
  [`POST ${COMMISSIONS}`]: async (app) => ({
    ...staff(app),
    parameters: { bookingItemId: await itemOf(app) },
    body: commission(),
    subject: made('commission'),
  }),
  [`PATCH ${COMMISSIONS}/{id}`]: async (app) => ({ ...(await onCommission(app)), body: { rateBasisPoints: 900 } }),
  [`POST ${COMMISSIONS}/{id}/voiding`]: async (app) => ({ ...(await onCommission(app)), body: { reason: 'Wrong' } }),
  [`POST ${COMMISSIONS}/{id}/payout`]: async (app) => ({
    ...(await onCommission(app)),
    body: { paidOn: '2026-01-31' },
    follows: ['finance.payment.record'],
  }),
};

/** Uses a confirmed booking that has departed, so that a commission is immediately payable. */
async function itemOf(app: TestApp): Promise<string> {
  const { id } = await post(app, BOOKINGS, { currency: 'EUR', customerName: 'Ada', startDate: '2026-01-01' });
  const item = await post(app, `${BOOKINGS}/${id}/items`, { type: 'unit', title: 'Seat', unitSellCents: 10_000 });
  await post(app, `${BOOKINGS}/${id}/confirmation`);
  return item.id;
}

const commission = (over: object = {}) => ({
  recipientType: 'agency',
  recipientName: 'Alpine Resellers',
  rateBasisPoints: 1000,
  ...over,
});

async function onCommission(app: TestApp) {
  const bookingItemId = await itemOf(app);
  const path = `/v1/admin/finance/booking-items/${bookingItemId}/commissions`;
  const { id } = await post(app, path, commission({ payableTrigger: 'departed' }));
  return { ...staff(app), ...inside('commission', id, { bookingItemId, id }) };
}
