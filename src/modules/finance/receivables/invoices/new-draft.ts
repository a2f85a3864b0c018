import { divideRounded } from '../../../../platform/money/money.js';
import { make } from '../../../../platform/database/rows.js';
import type { BookingSummary } from '../../../bookings/index.js';
import type { PricedLine } from '../account/billing-document.entity.js';
import { Invoice } from '../account/invoice.entity.js';
import { spread } from '../../books/index.js';
import type { CreateInvoice, CreateInvoiceLine, UpdateInvoice } from './invoice.dto.js';
import type { Contents } from './invoice-contents.js';

interface DraftTerms {
  id: string;
  booking: BookingSummary;
  contents: Contents;
  purpose: Invoice['purpose'];
  now: Date;
}

/** Makes a draft of these contents; the caller sets `drawnFrom`. */
export function newDraft(input: CreateInvoice, { id, booking, contents, purpose, now }: DraftTerms): Invoice {
  return make(Invoice, {
    id,
    type: 'invoice',
    bookingId: booking.id,
    scheduleId: input.scheduleId,
    status: 'draft',
    dueDate: input.dueDate === undefined ? contents.dueDate : input.dueDate,
    payerName: input.payerName ?? booking.customerName,
    payerAddress: input.payerAddress,
    payerTaxId: input.payerTaxId,
    currency: booking.currency,
    ...contents.totals,
    paidCents: 0,
    creditedCents: 0,
    purpose,
    linesSource: input.lines ? 'manual' : input.scheduleId ? 'schedule' : 'booking',
    payerSource: hasPayer(input) ? 'manual' : 'customer',
    createdAt: now,
  });
}

/** Returns whether staff entered the payer. */
export function hasPayer({ payerName, payerAddress, payerTaxId }: UpdateInvoice): boolean {
  return payerName !== undefined || payerAddress !== undefined || payerTaxId !== undefined;
}

/** Copies a line for billing again, without an item that was cancelled meanwhile. */
export function toInput(line: PricedLine, items: readonly { id: string }[]): CreateInvoiceLine {
  const { description, quantity, priceBasis, unitPriceCents, taxCodeId, taxRateBasisPoints, taxCents } = line;
  return {
    bookingItemId: items.some(({ id }) => id === line.bookingItemId) ? line.bookingItemId : null,
    ...{ description, quantity, priceBasis, unitPriceCents, taxCodeId, taxRateBasisPoints, taxCents },
    serviceDate: line.serviceDate,
    serviceEndDate: line.serviceEndDate,
  };
}

/** Makes lines of one tax group and rate each for billing again with a different amount. */
export function inProportion(lines: readonly PricedLine[], amountCents: number): CreateInvoiceLine[] {
  const shares = spread(
    amountCents,
    lines.map(({ totalCents }) => totalCents),
  );
  return lines.flatMap((line, index) => {
    const unitPriceCents = shares[index] ?? 0;
    if (unitPriceCents === 0) return [];
    const taxCents = divideRounded(BigInt(line.taxCents) * BigInt(unitPriceCents), BigInt(line.totalCents));
    return [{ ...toInput(line, []), unitPriceCents, taxCents: Number(taxCents) }];
  });
}
