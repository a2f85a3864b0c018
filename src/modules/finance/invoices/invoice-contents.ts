import { conflict, notFound } from '../../../platform/errors/app-error.js';
import type { BookingItemSummary } from '../../bookings/index.js';
import type { InvoiceTotals, PricedLine } from '../booking-account/invoice.entity.js';
import type { LockedPlan } from '../booking-account/locked-plan.js';
import type { PaymentSchedule } from '../booking-account/payment-schedule.entity.js';
import { type LineInput, mismatch, priceLines, totalsOf } from './line-amounts.js';
import { shareTax } from './tax-shares.js';

export interface Contents {
  lines: PricedLine[];
  totals: InvoiceTotals;
  /** The due date of the installment; null without one. */
  dueDate: string | null;
}

interface Requested extends Partial<InvoiceTotals> {
  scheduleId: string | null;
  /** Omitted: what the booking or the installment costs. */
  lines?: readonly LineInput[];
}

/**
 * The contents of an invoice for the items of a booking, an installment of its plan, or given lines. Throws 404 with
 * `field` for items and installments of other bookings, 409 `booking_not_priced`, `schedule_cancelled`, 422
 * `totals_mismatch`, `negative_total`.
 */
export function contentsOf(
  booking: { plan: LockedPlan | null; items: readonly BookingItemSummary[] },
  { scheduleId, lines: given, ...stated }: Requested,
): Contents {
  const { items } = booking;
  const installment = scheduleId === null ? null : invoicedInstallment(booking.plan, scheduleId);
  if (given) assertItems(given, items);
  const computed = () => (booking.plan && installment ? [lineOf(installment, booking.plan, items)] : linesOf(items));
  const lines = priceLines(given ?? computed());
  const totals = totalsOf(lines, stated);
  if (installment && totals.totalCents !== installment.amountCents) {
    throw mismatch('lines', { expected: installment.amountCents, actual: totals.totalCents });
  }
  return { lines, totals, dueDate: installment?.dueDate ?? null };
}

function invoicedInstallment(plan: LockedPlan | null, scheduleId: string): PaymentSchedule {
  const installment = plan?.find(scheduleId);
  if (!installment) throw notFound({ field: 'scheduleId' });
  if (installment.status === 'cancelled') throw conflict('schedule_cancelled', 'The installment is cancelled');
  return installment;
}

/** The installment's part of the tax that is included in the items. Waived installments keep their part of it. */
function lineOf(
  { id, label, amountCents }: PaymentSchedule,
  plan: LockedPlan,
  items: readonly BookingItemSummary[],
): LineInput {
  const included = items.reduce((sum, { taxIncludedCents }) => sum + taxIncludedCents, 0);
  const planned = plan.installments.filter(({ status, waived }) => status !== 'cancelled' || waived);
  const shares = shareTax(
    Math.max(0, included),
    planned.map((installment) => installment.amountCents),
  );
  const taxCents = shares[planned.findIndex((installment) => installment.id === id)] ?? 0;
  return { description: label, unitPriceCents: amountCents - taxCents, taxCents };
}

function linesOf(items: readonly BookingItemSummary[]): LineInput[] {
  if (items.length === 0) throw conflict('booking_not_priced', 'The booking has no items to invoice');
  return items.map((item) => {
    const { id: bookingItemId, title, taxIncludedCents: taxCents } = item;
    const net = item.totalSellCents - taxCents;
    // With the tax of the whole item subtracted, the net price of one unit often is no whole number of cents.
    const isDivisible = net % item.quantity === 0;
    const [quantity, description] = isDivisible ? [item.quantity, title] : [1, `${item.quantity} x ${title}`];
    return { bookingItemId, description, quantity: String(quantity), unitPriceCents: net / quantity, taxCents };
  });
}

function assertItems(lines: readonly LineInput[], items: readonly BookingItemSummary[]): void {
  const known = new Set(items.map(({ id }) => id));
  for (const [index, { bookingItemId }] of lines.entries()) {
    if (bookingItemId != null && !known.has(bookingItemId)) throw notFound({ field: `lines.${index}.bookingItemId` });
  }
}
