import { Column, Entity, PrimaryColumn } from 'typeorm';
import { APPEND, Rights } from '../../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../../platform/database/unaudited.js';
import { safeInteger } from '../../../../platform/database/columns.js';

/** The maximum number of live allocations of one payment; a plan and its invoices need far fewer. */
export const MAX_LIVE_ALLOCATIONS = 500;

/** A part of a payment and its target: an installment, an invoice or both, a supplier invoice, or a refund. */
export interface Share {
  scheduleId: string | null;
  invoiceId: string | null;
  supplierInvoiceId: string | null;
  /** The refund or outgoing transfer that it covers. */
  refundId: string | null;
  amountCents: number;
}

/**
 * A stored share of a payment. Rows are never changed; a reversal repeats the reversed row, which then no longer counts. A row
 * that counts is called live.
 */
@Rights(APPEND)
@Entity('payment_allocations')
@Unaudited('part of the snapshot of its payment')
export class PaymentAllocation {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'payment_id' }) paymentId: string;
  @Column('text', { name: 'schedule_id', nullable: true }) scheduleId: string | null;
  @Column('text', { name: 'invoice_id', nullable: true }) invoiceId: string | null;
  @Column('text', { name: 'supplier_invoice_id', nullable: true }) supplierInvoiceId: string | null;
  @Column('text', { name: 'refund_id', nullable: true }) refundId: string | null;
  @Column('bigint', { name: 'amount_cents', transformer: safeInteger }) amountCents: number;
  /** The first day on which it counts: the day of the payment, or the later day of the allocation or reversal. */
  @Column('date', { name: 'effective_on' }) effectiveOn: string;
  @Column('text', { name: 'reverses_id', nullable: true }) reversesId: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}

export function sumOfShares(shares: readonly { amountCents: number }[]): number {
  return shares.reduce((sum, { amountCents }) => sum + amountCents, 0);
}
