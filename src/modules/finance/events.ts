import type { EventGroup } from '../../platform/outbox/outbox.js';

const SCHEDULE_CHANNELS = ['bookings.{bookingId}', 'finance.payment-schedules'];
const MONEY = ['currency', 'totalCents'];
const PAYMENT = [
  'paymentId',
  'direction',
  'bookingId',
  'supplierInvoiceId',
  'commissionId',
  'status',
  'currency',
  'amountCents',
  'unappliedCents',
  'version',
];

export const financeEvents: EventGroup[] = [
  {
    channels: ['finance.supplier-invoices'],
    events: namesOf('supplier_invoice', ['created', 'updated', 'approved', 'reopened', 'voided', 'paid']),
    members: ['supplierInvoiceId', 'status', ...MONEY, 'version'],
  },
  {
    channels: ['finance.invoices'],
    events: namesOf('invoice', ['created', 'updated', 'deleted', 'issued', 'voided', 'settled']),
    members: ['invoiceId', 'bookingId', 'scheduleId', 'status', 'number', ...MONEY, 'version'],
  },
  {
    channels: ['finance.credit-notes'],
    events: namesOf('credit_note', ['created', 'updated', 'deleted', 'issued']),
    members: ['creditNoteId', 'invoiceId', 'bookingId', 'status', 'number', ...MONEY, 'version'],
  },
  {
    channels: ['finance.invoices'],
    events: ['invoice.rendered'],
    members: ['invoiceId', 'renditionId', 'format', 'language', 'version'],
  },
  {
    channels: ['finance.invoice-number-series'],
    events: namesOf('invoice_number_series', ['created', 'updated', 'deleted']),
    members: ['invoiceNumberSeriesId', 'active', 'version'],
  },
  {
    channels: SCHEDULE_CHANNELS,
    events: ['payment_plan.materialized'],
    members: ['planId', 'bookingId', 'planVersion', 'source', ...MONEY],
  },
  {
    channels: SCHEDULE_CHANNELS,
    events: ['payment_plan.redated'],
    members: ['bookingId', 'warnings'],
  },
  {
    channels: SCHEDULE_CHANNELS,
    events: namesOf('payment_schedule', ['created', 'updated', 'cancelled', 'paid']),
    members: ['scheduleId', 'bookingId', 'status', 'dueDate', 'currency', 'amountCents', 'paidCents', 'version'],
  },
  {
    channels: SCHEDULE_CHANNELS,
    events: ['payment_schedule.overdue'],
    members: ['scheduleId', 'bookingId', 'dueDate', 'currency', 'amountCents', 'outstandingCents'],
  },
  {
    channels: ['finance.periods'],
    events: namesOf('period', ['closed', 'reopened', 'filed']),
    members: ['period', 'status', 'version'],
  },
  {
    channels: ['finance.payment-policy'],
    events: ['payment_policy.replaced'],
    members: ['version'],
  },
  {
    channels: ['finance.settings'],
    events: ['finance_settings.replaced'],
    members: ['baseCurrency', 'version'],
  },
  {
    channels: ['finance.exchange-rates'],
    events: ['exchange_rate.recorded'],
    members: ['exchangeRateId', 'from', 'to', 'day'],
  },
  {
    channels: ['finance.payments', 'bookings.{bookingId}'],
    events: namesOf('payment', ['recorded', 'allocated', 'deallocated']),
    members: PAYMENT,
  },
  {
    channels: ['finance.payments', 'bookings.{bookingId}'],
    events: ['payment.reversed'],
    members: [...PAYMENT, 'reversalKind'],
  },
  {
    channels: ['finance.payments', 'bookings.{bookingId}'],
    events: namesOf('refund', ['requested', 'completed', 'failed']),
    members: ['refundId', 'bookingId', 'status', 'currency', 'amountCents', 'coveredCents', 'dueOn', 'version'],
  },
  {
    channels: ['finance.payments', 'bookings.{fromBookingId}', 'bookings.{toBookingId}'],
    events: namesOf('transfer', ['created', 'reversed']),
    members: ['transferId', 'fromBookingId', 'toBookingId', 'currency', 'amountCents'],
  },
  {
    channels: ['finance.commissions'],
    events: namesOf('commission', [
      'created',
      'updated',
      'accrued',
      'payable',
      'withdrawn',
      'paid',
      'adjusted',
      'voided',
    ]),
    members: ['commissionId', 'bookingId', 'bookingItemId', 'status', 'currency', 'amountCents', 'version'],
  },
  {
    channels: ['bookings.{bookingId}', 'bookings'],
    events: ['booking.settled'],
    members: ['settlementId', 'bookingId', 'currency', 'feeCents', 'restCents', 'outcome'],
  },
];

function namesOf(thing: string, happenings: readonly string[]): string[] {
  return happenings.map((happened) => `${thing}.${happened}`);
}
