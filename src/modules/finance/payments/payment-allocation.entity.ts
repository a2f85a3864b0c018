import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';

/**
 * A part of a payment and what it settles: on the booking's side an installment, an invoice or both, else a supplier
 * invoice. Rows are never changed; one that reverses another repeats it, and what is reversed counts no more.
 */
@Entity('payment_allocations')
export class PaymentAllocation {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'payment_id' }) paymentId: string;
  @Column('text', { name: 'schedule_id', nullable: true }) scheduleId: string | null;
  @Column('text', { name: 'invoice_id', nullable: true }) invoiceId: string | null;
  @Column('text', { name: 'supplier_invoice_id', nullable: true }) supplierInvoiceId: string | null;
  @Column('bigint', { name: 'amount_cents', transformer: safeInteger }) amountCents: number;
  /** From this day on it counts: the day of the payment, or the later one on which it was allocated or reversed. */
  @Column('date', { name: 'effective_on' }) effectiveOn: string;
  @Column('text', { name: 'reverses_id', nullable: true }) reversesId: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
