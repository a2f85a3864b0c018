import { createHash } from 'node:crypto';
import { named } from '../../../../platform/http/named-values.js';
import { conflict } from '../../../../platform/errors/app-error.js';
import type { BookingItemSummary } from '../../../bookings/index.js';
import type { BookingAccount } from '../account/booking-account.js';
import type { PricedLine } from '../account/billing-document.entity.js';
import type { DrawnFrom, Invoice } from '../account/invoice.entity.js';
import type { PaymentSchedule, ScheduleStatus } from '../account/payment-schedule.entity.js';

export const STALE_REASONS = named('StaleReason', [
  'item_added',
  'item_changed',
  'item_cancelled',
  'installment_changed',
  'payer_changed',
  'documents_changed',
  'tax_rate_changed',
  'room_exceeded',
]);
export type StaleReason = (typeof STALE_REASONS)[number];

export interface Staleness {
  reasons: StaleReason[];
  /** The items that were added, changed or cancelled. */
  itemIds: string[];
}

/** A draft, and the current state of its sources. */
export interface DrawnDraft {
  account: BookingAccount;
  items: readonly BookingItemSummary[];
  invoice: Invoice;
  lines: readonly PricedLine[];
  /** The lines that a redraw computes; null if the booking allows none, or if staff entered the lines. */
  redrawn: readonly PricedLine[] | null;
}

/** Returns the sources of a draft. Lines entered by staff follow only the amounts of the items that they name. */
export function drawnFromOf(
  { plan, invoices }: BookingAccount,
  items: readonly BookingItemSummary[],
  { linesSource, scheduleId, lines }: Pick<Invoice, 'linesSource' | 'scheduleId'> & { lines: readonly PricedLine[] },
): DrawnFrom {
  const installment = scheduleId === null ? null : (plan?.find(scheduleId) ?? null);
  const named = new Set(lines.flatMap(({ bookingItemId }) => bookingItemId ?? []));
  const isManual = linesSource === 'manual';
  const followed = isManual ? items.filter(({ id }) => named.has(id)) : items;
  const digests = followed.map((item) => [item.id, isManual ? amountsOf(item) : contentsOf(item)] as const);
  return {
    items: Object.fromEntries(digests),
    installment:
      installment && !isManual
        ? digest([installment.label, installment.amountCents, installment.dueDate, unpaidStatusOf(installment)])
        : null,
    waivedCents: plan?.waivedCents() ?? 0,
    documents: digest(
      invoices
        .filter((invoice) => invoice.isBilled())
        .map((invoice) => [invoice.id, invoice.uncreditedCents(), invoice.taxCents]),
    ),
  };
}

/**
 * Returns the reasons why the draft no longer agrees with its sources. Drafts that were made before sources were stored are
 * never stale.
 */
export function stalenessOf({ account, items, invoice, lines, redrawn }: DrawnDraft): Staleness {
  const { drawnFrom, linesSource, payerSource, payerName } = invoice;
  if (invoice.status !== 'draft' || drawnFrom === null) return { reasons: [], itemIds: [] };
  const now = drawnFromOf(account, items, { linesSource, scheduleId: invoice.scheduleId, lines });
  const [added, cancelled] = [missingIn(now.items, drawnFrom.items), missingIn(drawnFrom.items, now.items)];
  const differing = Object.keys(now.items).filter((id) => {
    const before = drawnFrom.items[id];
    return before !== undefined && before !== now.items[id];
  });
  const isOnlyRate = (id: string) => withoutRate(now.items[id]) === withoutRate(drawnFrom.items[id]);
  const [rates, changed] = [differing.filter(isOnlyRate), differing.filter((id) => !isOnlyRate(id))];
  const areOtherDocuments = now.documents !== drawnFrom.documents || now.waivedCents !== drawnFrom.waivedCents;
  const found: Record<StaleReason, boolean> = {
    item_added: added.length > 0,
    item_changed: changed.length > 0,
    item_cancelled: cancelled.length > 0,
    installment_changed: now.installment !== drawnFrom.installment,
    payer_changed: payerSource === 'customer' && payerName !== account.booking.customerName,
    // Another document of the booking matters only if it changes the contents of this one.
    documents_changed: linesSource !== 'manual' && areOtherDocuments && redrawn !== null && !isSame(redrawn, lines),
    tax_rate_changed: rates.length > 0,
    room_exceeded: invoice.totalCents > roomOf(account),
  };
  return {
    reasons: STALE_REASONS.filter((reason) => found[reason]),
    itemIds: [...added, ...changed, ...rates, ...cancelled].sort(),
  };
}

/** Returns whether other documents are the only reason: the draft then requests money that is already billed. */
export function isOnlyBilledElsewhere({ reasons }: Staleness): boolean {
  return reasons.every((reason) => reason === 'room_exceeded' || reason === 'documents_changed');
}

/** Makes the error for a draft that no longer agrees with its sources. */
export function draftStale({ reasons, itemIds }: { reasons: readonly string[]; itemIds: readonly string[] }) {
  return conflict('draft_stale', 'The draft no longer agrees with the booking; redraw it', { reasons, itemIds });
}

/** Returns the amount that may be billed: up to the price of a quote, otherwise up to the claim. */
function roomOf(account: BookingAccount): number {
  const { status, totalCents } = account.booking;
  return status === 'draft' ? (totalCents ?? 0) - account.billedCents() : account.roomCents();
}

/**
 * The rate comes last, because a changed rate is a separate reason. The tax of a coded item follows from its total and rate.
 */
function contentsOf(item: BookingItemSummary): string {
  const { title, quantity, totalSellCents, taxIncludedCents, taxCodeId, taxRateBasisPoints: rate, serviceDate } = item;
  const givenTax = rate === null ? taxIncludedCents : null;
  return `${digest([title, quantity, totalSellCents, givenTax, taxCodeId, serviceDate])}.${rate ?? ''}`;
}

/** The paid amount of an installment does not change its invoice. */
function unpaidStatusOf({ status }: PaymentSchedule): ScheduleStatus {
  return status === 'cancelled' ? 'cancelled' : 'pending';
}

function amountsOf({ totalSellCents, taxIncludedCents }: BookingItemSummary): string {
  return digest([totalSellCents, taxIncludedCents]);
}

function withoutRate(stored: string | undefined): string | undefined {
  return stored?.split('.')[0];
}

function missingIn(present: Record<string, string>, stored: Record<string, string>): string[] {
  return Object.keys(present).filter((id) => !(id in stored));
}

function isSame(redrawn: readonly PricedLine[], lines: readonly PricedLine[]): boolean {
  const figures = (of: readonly PricedLine[]) =>
    of.map(({ totalCents, taxCents }) => `${totalCents} ${taxCents}`).join();
  return figures(redrawn) === figures(lines);
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16);
}
