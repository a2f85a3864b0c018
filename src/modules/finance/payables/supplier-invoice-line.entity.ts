import { extensible } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import type { Columns } from '../../../platform/database/rows.js';

export const SERVICE_TYPES = extensible('SupplierServiceType', [
  'transport',
  'flight',
  'accommodation',
  'guide',
  'meal',
  'experience',
  'insurance',
  'other',
]);
export type ServiceType = (typeof SERVICE_TYPES)[number];

/** A line of a supplier invoice. Lines are replaced as a whole, so they have no ids. */
@Rights(DELETE)
@Entity('supplier_invoice_lines')
@Unaudited('part of the snapshot of its invoice')
export class SupplierInvoiceLine {
  @PrimaryColumn('text', { name: 'invoice_id' }) invoiceId: string;
  /** Starts at 1. */
  @PrimaryColumn('integer') position: number;
  @Personal('accounting')
  @Column('text')
  description: string;
  @Column('text', { name: 'service_type' }) serviceType: ServiceType;
  @Column('integer') quantity: number;
  @Column('bigint', { name: 'unit_amount_cents', transformer: safeInteger }) unitAmountCents: number;
  @Column('bigint', { name: 'tax_amount_cents', transformer: safeInteger }) taxAmountCents: number;
  @Column('bigint', { name: 'total_amount_cents', transformer: safeInteger }) totalAmountCents: number;
}

/** A line without its key. */
export type PricedLine = Omit<Columns<SupplierInvoiceLine>, 'invoiceId' | 'position'>;
