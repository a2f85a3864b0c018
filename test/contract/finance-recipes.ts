import { randomUUID } from 'node:crypto';
import { demoId } from '../../src/platform/ids/id.js';
import type { TestApp } from '../setup/app.js';
import { inside, made, on, post, type Prepared, type Recipe, staff, type Subject } from './recipe.js';

const BOOKINGS = '/v1/admin/bookings';
const BILLS = '/v1/admin/finance/invoices';
const NOTES = '/v1/admin/finance/credit-notes';
const INVOICES = '/v1/admin/finance/supplier-invoices';
const SERIES = '/v1/admin/finance/invoice-number-series';
const POLICY = '/v1/admin/finance/payment-policy';
const SETTINGS = '/v1/admin/finance/settings';
const SCHEDULES = '/v1/admin/finance/bookings/{bookingId}/payment-schedules';
const PLAN = '/v1/admin/finance/bookings/{bookingId}/collection-plan';
const PAYMENTS = '/v1/admin/finance/payments';
const TAX_CODES = '/v1/admin/finance/tax-codes';
const RATES = '/v1/admin/finance/exchange-rates';

/** Calls a route that has a recipe with a body that has further effects. */
export const financeVariants: Record<string, Recipe> = {
  [`PATCH ${SCHEDULES}/{scheduleId} that pays`]: async (app) => ({
    ...(await installment(app)),
    body: { status: 'paid' },
    follows: ['finance.payment.record'],
  }),
};

/** Successful calls of all mutating routes of finance. */
export const financeRecipes: Record<string, Recipe> = {
  [`POST ${INVOICES}`]: async (app) => ({ ...staff(app), body: invoice(), subject: made('supplier_invoice') }),
  [`PATCH ${INVOICES}/{id}`]: async (app) => {
    const { id } = await post(app, INVOICES, invoice());
    return { ...staff(app), ...on('supplier_invoice', id), body: { notes: 'Changed' } };
  },
  [`POST ${INVOICES}/{id}/approval`]: async (app) => {
    const { id } = await post(app, INVOICES, invoice());
    return { ...staff(app), ...on('supplier_invoice', id) };
  },
  [`POST ${INVOICES}/{id}/reopening`]: async (app) => {
    const { id } = await post(app, INVOICES, invoice());
    await post(app, `${INVOICES}/${id}/approval`);
    return { ...staff(app), ...on('supplier_invoice', id), body: { reason: 'Wrong supplier' } };
  },
  [`POST ${INVOICES}/{id}/voiding`]: async (app) => {
    const { id } = await post(app, INVOICES, invoice());
    return { ...staff(app), ...on('supplier_invoice', id), body: { reason: 'Not ours' } };
  },

  [`POST ${SERIES}`]: async (app) => ({ ...staff(app), body: series(), subject: made('invoice_number_series') }),
  [`PATCH ${SERIES}/{id}`]: async (app) => {
    const { id } = await post(app, SERIES, series());
    return { ...staff(app), ...on('invoice_number_series', id), body: { name: 'Changed' } };
  },
  [`POST ${SERIES}/{id}/date-releases`]: async (app) => {
    const { id: invoiceId } = await post(app, BILLS, await bill(app));
    const { seriesId: id } = await post(app, `${BILLS}/${invoiceId}/issuance`);
    await post(app, `${BILLS}/${invoiceId}/voiding`, { reason: 'Issued with a wrong date' });
    return { ...staff(app), ...on('invoice_number_series', String(id)), body: { invoiceId, reason: 'A wrong date' } };
  },
  [`DELETE ${SERIES}/{id}`]: async (app) => {
    const { id } = await post(app, SERIES, series());
    return { ...staff(app), ...on('invoice_number_series', id) };
  },

  [`POST ${TAX_CODES}`]: async (app) => ({ ...staff(app), body: taxCode(), subject: made('tax_code') }),
  [`PATCH ${TAX_CODES}/{id}`]: async (app) => {
    const { id } = await post(app, TAX_CODES, taxCode());
    return { ...staff(app), ...on('tax_code', id), body: { name: 'Changed' } };
  },
  [`POST ${TAX_CODES}/{id}/rates`]: async (app) => {
    const { id } = await post(app, TAX_CODES, taxCode());
    return { ...staff(app), ...on('tax_code', id), body: { rateBasisPoints: 2_000, validFrom: '2030-01-01' } };
  },

  [`POST ${RATES}`]: async (app) => ({ ...staff(app), body: rate(app), subject: made('exchange_rate') }),

  [`PUT ${SETTINGS}`]: async (app) => ({
    ...staff(app),
    body: { baseCurrency: 'EUR' },
    subject: () => ({ type: 'finance_settings', id: 'finance' }),
  }),
  [`PUT ${POLICY}`]: async (app) => ({
    ...staff(app),
    body: policy,
    subject: () => ({ type: 'payment_policy', id: 'organization' }),
  }),
  [`POST ${PLAN}`]: async (app) => {
    const bookingId = await booking(app);
    return { ...staff(app), parameters: { bookingId }, body: {}, subject: () => planOf(app, bookingId) };
  },
  [`POST ${SCHEDULES}`]: async (app) => ({
    ...staff(app),
    parameters: { bookingId: await booking(app) },
    body: { label: 'First', dueDate: '2027-01-31', amountCents: 4_000 },
    subject: made('payment_schedule'),
    follows: ['finance.payment_plan.materialize'],
  }),
  [`PATCH ${SCHEDULES}/{scheduleId}`]: async (app) => ({ ...(await installment(app)), body: { label: 'Changed' } }),
  [`POST ${SCHEDULES}/{scheduleId}/small-difference`]: async (app) => {
    await app.as('owner').put(SETTINGS, { baseCurrency: 'EUR', toleranceCents: 4_000 });
    return { ...(await installment(app)), body: { reason: 'Bank charges' } };
  },

  ['POST /v1/admin/finance/bookings/{bookingId}/cancellation-settlement']: async (app) => {
    const bookingId = await booking(app);
    await post(app, `${BOOKINGS}/${bookingId}/cancellation`, { reason: 'Called off' });
    return { ...staff(app), parameters: { bookingId }, body: {}, subject: made('cancellation_settlement') };
  },
  [`POST ${PAYMENTS}`]: async (app) => ({ ...staff(app), body: await payment(app), subject: made('payment') }),
  [`POST ${PAYMENTS}/{id}/allocations`]: async (app) => {
    const { id, allocationId } = await newPayment(app);
    await remove(app, `${PAYMENTS}/${id}/allocations/${allocationId}`);
    return { ...staff(app), ...on('payment', id), body: {} };
  },
  [`DELETE ${PAYMENTS}/{id}/allocations/{allocationId}`]: async (app) => {
    const { id, allocationId } = await newPayment(app);
    return { ...staff(app), parameters: { id, allocationId }, subject: () => ({ type: 'payment', id }) };
  },
  [`POST ${PAYMENTS}/{id}/reversal`]: async (app) => {
    const { id } = await newPayment(app);
    return { ...staff(app), ...on('payment', id), body: { reason: 'The bank returned it' } };
  },

  [`POST ${BILLS}`]: async (app) => ({ ...staff(app), body: await bill(app), subject: made('invoice') }),
  [`PATCH ${BILLS}/{id}`]: async (app) => ({ ...(await onBill(app)), body: { payerName: 'Changed' } }),
  [`DELETE ${BILLS}/{id}`]: async (app) => onBill(app),
  [`POST ${BILLS}/{id}/issuance`]: async (app) => onBill(app),
  [`POST ${BILLS}/{id}/dispatch`]: async (app) => {
    const { parameters } = await onBill(app);
    const { bookingId } = await post(app, `${BILLS}/${parameters.id}/issuance`);
    const customerEmail = 'clara@example.com';
    await app.as('owner').patch(`${BOOKINGS}/${String(bookingId)}`, { customerEmail });
    // Renders the invoice, which has entries of its own.
    await post(app, `${BILLS}/${parameters.id}/dispatch`, {});
    return { ...staff(app), parameters, body: { resend: true }, subject: made('notification_message') };
  },
  [`POST ${BILLS}/{id}/renditions`]: async (app) => {
    const call = await onBill(app);
    await post(app, `${BILLS}/${call.parameters.id}/issuance`);
    return { ...call, body: { format: 'html' }, subject: made('invoice_rendition') };
  },
  ['POST /v1/admin/finance/invoice-renditions/{id}/links']: async (app) => {
    const id = demoId('rend', 1);
    return { ...staff(app), parameters: { id }, body: { disposition: 'inline' }, subject: null };
  },
  [`POST ${BILLS}/{id}/redrawing`]: async (app) => ({ ...(await onBill(app)), body: {} }),
  [`POST ${BILLS}/{id}/delivery`]: async (app) => {
    const call = await onBill(app);
    const { issueDate } = await post(app, `${BILLS}/${call.parameters.id}/issuance`);
    return { ...call, body: { sentOn: issueDate } };
  },
  [`POST ${BILLS}/{id}/correction`]: async (app) => {
    const call = await onBill(app);
    await post(app, `${BILLS}/${call.parameters.id}/issuance`);
    const follows = ['finance.credit_note.issue', 'finance.invoice.create'];
    return { ...call, body: { reasonText: 'Made out to the wrong company' }, follows };
  },

  [`POST ${NOTES}`]: async (app) => ({ ...staff(app), body: await noteOf(app), subject: made('credit_note') }),
  [`PATCH ${NOTES}/{id}`]: async (app) => ({ ...(await onNote(app)), body: { reasonText: 'Changed' } }),
  [`DELETE ${NOTES}/{id}`]: async (app) => onNote(app),
  [`POST ${NOTES}/{id}/issuance`]: async (app) => onNote(app),
  [`POST ${NOTES}/{id}/renditions`]: async (app) => {
    const call = await onNote(app);
    await post(app, `${NOTES}/${call.parameters.id}/issuance`);
    return { ...call, body: { format: 'html' }, subject: made('invoice_rendition') };
  },

  [`POST ${BILLS}/{id}/voiding`]: async (app) => ({ ...(await onBill(app)), body: { reason: 'Not asked for' } }),
};

const taxCode = () => ({
  code: randomUUID().slice(0, 20).toUpperCase(),
  name: 'Standard rate',
  country: 'DE',
  kind: 'standard',
  rates: [{ rateBasisPoints: 1_900, validFrom: '2021-01-01' }],
});

/** A source has one rate for a currency pair and day, so each call uses a different currency. */
const rateCurrencies = [
  'GMD',
  'GNF',
  'GTQ',
  'GYD',
  'HNL',
  'HTG',
  'IQD',
  'JMD',
  'KES',
  'KGS',
  'KHR',
  'KMF',
  'LAK',
  'LBP',
];

const rate = (app: TestApp) => ({
  ...{ from: rateCurrencies.shift(), to: 'EUR', rate: '0.0123' },
  ...{ day: app.day(), source: 'manual' },
});

const invoice = () => ({
  supplierName: 'Hotel Bellevue',
  invoiceNumber: randomUUID(),
  currency: 'EUR',
  totalCents: 10_000,
  issueDate: '2027-01-31',
});

const series = () => ({ name: 'Of a test', prefix: randomUUID(), isDefault: false });

const policy = { steps: [{ label: 'All', type: 'balance', remainder: true, anchor: 'booking', offsetDays: 0 }] };

/** A draft booking with a total of 10000 and no plan. */
async function booking(app: TestApp): Promise<string> {
  const { id } = await post(app, '/v1/admin/bookings', { customerName: 'Ada Lovelace', currency: 'EUR' });
  await post(app, `/v1/admin/bookings/${id}/items`, { type: 'unit', title: 'Seat', unitSellCents: 10_000 });
  return id;
}

/** The plan itself is not in the response, which contains the booking and the entries. */
async function planOf(app: TestApp, bookingId: string): Promise<Subject> {
  const [plan] = await app.sql<{ id: string }>('select id from payment_plans where booking_id = $1', [bookingId]);
  return { type: 'payment_plan', id: plan?.id ?? '' };
}

/** Records a payment for a new supplier invoice. */
async function payment(app: TestApp): Promise<object> {
  const { id } = await post(app, INVOICES, { ...invoice(), status: 'approved' });
  const money = { method: 'cash', currency: 'EUR', amountCents: 10_000, paidOn: '2026-01-31' };
  return { direction: 'out', supplierInvoiceId: id, ...money };
}

async function newPayment(app: TestApp): Promise<{ id: string; allocationId: string }> {
  const { id, allocations } = await post(app, PAYMENTS, await payment(app));
  const [allocation] = allocations as { id: string }[];
  return { id, allocationId: allocation?.id ?? '' };
}

async function remove(app: TestApp, path: string): Promise<void> {
  const answer = await app.as('owner').delete(path);
  if (answer.status >= 300) throw new Error(`DELETE ${path} was refused: ${answer.text}`);
}

/** Creates an invoice to a customer for a new booking. */
async function bill(app: TestApp): Promise<object> {
  const { id: bookingId } = await post(app, BOOKINGS, { currency: 'EUR', customerName: 'Ada' });
  await post(app, `${BOOKINGS}/${bookingId}/items`, { type: 'unit', title: 'Seat', unitSellCents: 10_000 });
  return { bookingId };
}

async function onBill(app: TestApp) {
  const { id } = await post(app, BILLS, await bill(app));
  return { ...staff(app), ...on('invoice', id) };
}

/** Creates a credit note for a new invoice. */
async function noteOf(app: TestApp): Promise<object> {
  const { id: invoiceId } = await post(app, BILLS, await bill(app));
  await post(app, `${BILLS}/${invoiceId}/issuance`);
  return { invoiceId, reason: 'correction', reasonText: 'Not asked for' };
}

async function onNote(app: TestApp) {
  const { id } = await post(app, NOTES, await noteOf(app));
  return { ...staff(app), ...on('credit_note', id) };
}

async function installment(app: TestApp): Promise<Prepared> {
  const bookingId = await booking(app);
  const first = { label: 'First', dueDate: '2027-01-31', amountCents: 4_000 };
  const { id } = await post(app, SCHEDULES.replace('{bookingId}', bookingId), first);
  return { ...staff(app), ...inside('payment_schedule', id, { bookingId, scheduleId: id }) };
}
