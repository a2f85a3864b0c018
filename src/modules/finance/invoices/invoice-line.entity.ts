import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';

/** One line of an invoice. Lines are replaced as a whole, so they have no ids. */
@Entity('invoice_lines')
export class InvoiceLine {
  @PrimaryColumn('text', { name: 'invoice_id' }) invoiceId: string;
  /** 1 for the first. */
  @PrimaryColumn('integer') position: number;
  @Column('text', { name: 'booking_item_id', nullable: true }) bookingItemId: string | null;
  @Column('text') description: string;
  @Column('numeric') quantity: string;
  @Column('bigint', { name: 'unit_price_cents', transformer: safeInteger }) unitPriceCents: number;
  /** Null: the tax was given, not computed. */
  @Column('integer', { name: 'tax_rate_basis_points', nullable: true }) taxRateBasisPoints: number | null;
  @Column('bigint', { name: 'net_cents', transformer: safeInteger }) netCents: number;
  @Column('bigint', { name: 'tax_cents', transformer: safeInteger }) taxCents: number;
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  /** Of a credit note: the line of the invoice that it credits; null for invoices. */
  @Column('integer', { name: 'original_position', nullable: true }) originalPosition: number | null;
}
