import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { type BookingSummary, BookingsService, type BookingItemSummary } from '../../bookings/index.js';
import { type LineInput, mismatch, type PricedLine, priceLines, type Totals, totalsOf } from './line-amounts.js';
import { shareTax } from './tax-shares.js';

/** An installment of the booking's current plan that is not cancelled. */
interface Installment {
  id: string;
  label: string;
  dueDate: string;
  amountCents: number;
}

export interface Contents {
  lines: PricedLine[];
  totals: Totals;
  /** The installment's; null without one. */
  dueDate: string | null;
}

interface Wanted extends Partial<Totals> {
  scheduleId: string | null;
  /** Left out: what the booking or the installment asks for. */
  lines?: readonly LineInput[];
}

/** What an invoice is over: the booking, which the caller holds, an installment of it, or given lines. */
@Injectable()
export class InvoiceContents {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
  ) {}

  /**
   * Throws 404 with `field` for items and installments of other bookings, 409 `booking_not_priced`,
   * `schedule_cancelled`, 422 `totals_mismatch`, `negative_total`.
   */
  async of(booking: BookingSummary, { scheduleId, lines: given, ...stated }: Wanted): Promise<Contents> {
    const items = await this.bookings.activeItems(booking.id);
    const plan = scheduleId === null ? null : await this.installment(booking.id, scheduleId);
    if (given) assertItems(given, items);
    const lines = priceLines(given ?? (plan ? [lineOf(plan, items)] : linesOf(items)));
    const totals = totalsOf(lines, stated);

    const amount = plan?.installment.amountCents;
    if (amount !== undefined && totals.totalCents !== amount) {
      throw mismatch('lines', { expected: amount, actual: totals.totalCents });
    }
    return { lines, totals, dueDate: plan?.installment.dueDate ?? null };
  }

  private async installment(bookingId: string, scheduleId: string): Promise<Place> {
    const rows = await this.database.query<Installment & { cancelled: boolean; waived: boolean }>(
      `select schedule.id, schedule.label, schedule.due_date as "dueDate", schedule.amount_cents::float8 as "amountCents",
         schedule.status = 'cancelled' as cancelled, schedule.waived
       from payment_schedules schedule join payment_plans plan on plan.id = schedule.plan_id
       where schedule.booking_id = $1 and plan.is_current order by schedule.position`,
      [bookingId],
    );
    const installment = rows.find(({ id }) => id === scheduleId);
    if (!installment) throw notFound({ field: 'scheduleId' });
    if (installment.cancelled) throw conflict('schedule_cancelled', 'The installment is cancelled');
    return { installment, planned: rows.filter(({ cancelled, waived }) => !cancelled || waived) };
  }
}

interface Place {
  installment: Installment;
  /** All that make up the plan's total, in its order. Those that are waived keep their part of the tax. */
  planned: readonly Installment[];
}

/** The installment's part of the tax that is included in the items. */
function lineOf({ installment, planned }: Place, items: readonly BookingItemSummary[]): LineInput {
  const included = items.reduce((sum, { taxIncludedCents }) => sum + taxIncludedCents, 0);
  const shares = shareTax(
    Math.max(0, included),
    planned.map(({ amountCents }) => amountCents),
  );
  const taxCents = shares[planned.indexOf(installment)] ?? 0;
  const { label, amountCents } = installment;
  return { description: label, unitPriceCents: amountCents - taxCents, taxCents };
}

function linesOf(items: readonly BookingItemSummary[]): LineInput[] {
  if (items.length === 0) throw conflict('booking_not_priced', 'The booking has no items to invoice');
  return items.map((item) => {
    const { id: bookingItemId, title, taxIncludedCents: taxCents } = item;
    const net = item.totalSellCents - taxCents;
    // The tax that is included for all of them seldom leaves a net price of one that has no fractions.
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
