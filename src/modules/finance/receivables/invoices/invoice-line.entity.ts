import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Impersonal, Personal, Rights } from '../../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../../platform/database/unaudited.js';
import { safeInteger } from '../../../../platform/database/columns.js';
import type { TaxKind } from '../../../taxes/index.js';
import type { PriceBasis } from '../account/billing-document.entity.js';

/** One line of an invoice. Lines are replaced as a whole, so they have no ids. */
@Rights(DELETE)
@Entity('invoice_lines')
@Unaudited('part of the snapshot of its invoice')
export class InvoiceLine {
  @PrimaryColumn('text', { name: 'invoice_id' }) invoiceId: string;
  /** The position of the line, starting at 1. */
  @PrimaryColumn('integer') position: number;
  @Column('text', { name: 'booking_item_id', nullable: true }) bookingItemId: string | null;
  @Personal('accounting')
  @Column('text')
  description: string;
  @Column('numeric', { precision: 12, scale: 4 }) quantity: string;
  @Column('text', { name: 'price_basis' }) priceBasis: PriceBasis;
  @Column('bigint', { name: 'unit_price_cents', transformer: safeInteger }) unitPriceCents: number;
  /** Null for an amount without a tax code. */
  @Column('text', { name: 'tax_code_id', nullable: true }) taxCodeId: string | null;
  /** Copied from the tax code, like kind and mention. */
  @Column('text', { name: 'tax_code', nullable: true }) taxCode: string | null;
  @Column('text', { name: 'tax_kind', nullable: true }) taxKind: TaxKind | null;
  /** Null if the tax was given, not computed, or if the items of the line have different rates. */
  @Column('integer', { name: 'tax_rate_basis_points', nullable: true }) taxRateBasisPoints: number | null;
  @Column('bigint', { name: 'net_cents', transformer: safeInteger }) netCents: number;
  @Column('bigint', { name: 'tax_cents', transformer: safeInteger }) taxCents: number;
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  /** Amounts in the base currency; set only on issued documents in another currency. */
  @Column('bigint', { name: 'base_net_cents', nullable: true, transformer: safeInteger }) baseNetCents: number | null;
  @Column('bigint', { name: 'base_tax_cents', nullable: true, transformer: safeInteger }) baseTaxCents: number | null;
  @Column('bigint', { name: 'base_total_cents', nullable: true, transformer: safeInteger })
  baseTotalCents: number | null;
  @Impersonal()
  @Column('text', { nullable: true })
  mention: string | null;
  @Column('date', { name: 'service_date', nullable: true }) serviceDate: string | null;
  /** Null if the service is delivered on one day. */
  @Column('date', { name: 'service_end_date', nullable: true }) serviceEndDate: string | null;
  /** The line of the invoice that a credit note credits; null for invoices. */
  @Column('integer', { name: 'original_position', nullable: true }) originalPosition: number | null;
}
