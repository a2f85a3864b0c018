import { type Columns, make } from '../../../platform/database/rows.js';
import type { BookingItemSummary } from '../../bookings/index.js';
import { CommissionLine, type PayableTrigger, type RecipientType } from './commission-line.entity.js';
import { type CommissionTerms, computeCommission } from './commission-terms.js';

export interface Recipient {
  recipientType: RecipientType;
  recipientName: string;
  recipientId?: string | null | undefined;
  channelId?: string | null | undefined;
  payableTrigger?: PayableTrigger | undefined;
  notes?: string | null | undefined;
}

interface Sold {
  id: string;
  item: BookingItemSummary;
  status: 'pending' | 'accrued';
  now: Date;
}

/** A line on an item. Throws 422 `cost_unknown`, `commission_exceeds_base`. */
export function newCommissionLine(recipient: Recipient, terms: CommissionTerms, sold: Sold): CommissionLine {
  const { id, item, status, now } = sold;
  return make(CommissionLine, {
    id,
    bookingId: item.bookingId,
    bookingItemId: item.id,
    currency: item.currency,
    recipientType: recipient.recipientType,
    recipientName: recipient.recipientName,
    recipientId: recipient.recipientId ?? null,
    channelId: recipient.channelId ?? null,
    ...terms,
    ...computeCommission(terms, item),
    computedAt: now,
    payableTrigger: recipient.payableTrigger ?? 'paid_in_full',
    status,
    payableAt: null,
    paidOn: null,
    paidAt: null,
    payoutReference: null,
    voidedAt: null,
    voidReason: null,
    reversesId: null,
    notes: recipient.notes ?? null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}

/** The line that takes back what was paid out on another one; it is owed to us at once. */
export function reversalOf(paid: CommissionLine, id: string, now: Date): CommissionLine {
  return Object.assign(new CommissionLine(), {
    ...paid,
    id,
    reversesId: paid.id,
    amountCents: -paid.amountCents,
    status: 'payable',
    payableAt: now,
    paidOn: null,
    paidAt: null,
    payoutReference: null,
    notes: null,
    computedAt: now,
    version: 1,
    createdAt: now,
    updatedAt: now,
  } satisfies Columns<CommissionLine>);
}
