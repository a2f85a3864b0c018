import { Column, Entity, Index, PrimaryColumn, TableInheritance } from 'typeorm';
import { imageOf } from '../../../../platform/database/audited.js';
import { safeInteger } from '../../../../platform/database/columns.js';
import { DELETE, Impersonal, Personal, Rights } from '../../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../../platform/database/unaudited.js';
import { named } from '../../../../platform/http/named-values.js';
import type { IssuerCopy } from '../../../organization/index.js';
import type { TaxKind } from '../../../taxes/index.js';
import type { AppliedRate, BaseAmounts, DocumentType } from '../../books/index.js';

export const LINES_SOURCES = named('LinesSource', ['booking', 'schedule', 'manual']);
export type LinesSource = (typeof LINES_SOURCES)[number];

export const PAYER_SOURCES = named('PayerSource', ['customer', 'manual']);
export type PayerSource = (typeof PAYER_SOURCES)[number];

export const INVOICE_PURPOSES = named('InvoicePurpose', ['cancellation_fee']);
export type InvoicePurpose = (typeof INVOICE_PURPOSES)[number];

export interface InvoiceTotals {
  subtotalCents: number;
  taxCents: number;
  totalCents: number;
}

/**
 * Basis of the unit price: without tax, with tax, or with a tax that was allocated to the line from the tax of a whole booking.
 */
export const PRICE_BASES = named('PriceBasis', ['net', 'gross', 'allocated']);
export type PriceBasis = (typeof PRICE_BASES)[number];

/** One line of an invoice with all its amounts. */
export interface PricedLine {
  bookingItemId: string | null;
  description: string;
  quantity: string;
  priceBasis: PriceBasis;
  unitPriceCents: number;
  /** Null for an amount without a tax code; the next two are then also null. */
  taxCodeId: string | null;
  taxCode: string | null;
  taxKind: TaxKind | null;
  taxRateBasisPoints: number | null;
  netCents: number;
  taxCents: number;
  totalCents: number;
  /** Printed reason why no tax is shown. */
  mention: string | null;
  serviceDate: string | null;
  serviceEndDate: string | null;
  /** The line of the invoice that a credit note credits. */
  originalPosition?: number | null;
  /** Amounts in the base currency; set only on issued documents in another currency. */
  baseNetCents?: number | null;
  baseTaxCents?: number | null;
  baseTotalCents?: number | null;
}

/** The seller's details, as printed on a document. */
export interface Seller {
  name: string;
  address: string | null;
  taxId: string | null;
}

/** The number of a document, and what is stored with it. */
export interface Numbering {
  seriesId: string;
  periodKey: string;
  sequence: number;
  number: string;
  issueDate: string;
  seller: Seller;
  base: BaseAmounts;
}

/** An invoice or a credit note: two kinds of rows of one table, with one series of numbers each. */
@Rights(DELETE)
@Entity('invoices')
@TableInheritance({ column: { name: 'type' } })
export abstract class BillingDocument implements BaseAmounts {
  @PrimaryColumn('text') id: string;
  // Keeps TypeORM's commands from adding an index, which no statement would use: most rows are invoices.
  @Index('invoices_type', { synchronize: false })
  @Column('text')
  type: Exclude<DocumentType, 'proforma'>;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  @Column('text') status: string;
  @Column('text', { nullable: true }) number: string | null;
  @Column('text', { name: 'series_id', nullable: true }) seriesId: string | null;
  @Column('text', { name: 'period_key', nullable: true }) periodKey: string | null;
  @Column('bigint', { nullable: true, transformer: safeInteger }) sequence: number | null;
  @Column('date', { name: 'issue_date', nullable: true }) issueDate: string | null;
  @Personal('accounting')
  @Column('text', { name: 'payer_name' })
  payerName: string;
  @Personal('accounting')
  @Column('text', { name: 'payer_address', nullable: true })
  payerAddress: string | null;
  @Personal('accounting')
  @Column('text', { name: 'payer_tax_id', nullable: true })
  payerTaxId: string | null;
  @Impersonal()
  @Unaudited('a member of `seller` in the snapshot')
  @Column('text', { name: 'seller_name', nullable: true })
  sellerName: string | null;
  @Impersonal()
  @Unaudited('a member of `seller` in the snapshot')
  @Column('text', { name: 'seller_address', nullable: true })
  sellerAddress: string | null;
  @Unaudited('a member of `seller` in the snapshot')
  @Column('text', { name: 'seller_tax_id', nullable: true })
  sellerTaxId: string | null;
  @Column('text') currency: string;
  @Column('bigint', { name: 'subtotal_cents', transformer: safeInteger }) subtotalCents: number;
  @Column('bigint', { name: 'tax_cents', transformer: safeInteger }) taxCents: number;
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  /** Null until issued, as are the other base amounts. */
  @Column('text', { name: 'base_currency', nullable: true }) baseCurrency: string | null;
  /** Copy of the rate; null if no rate was recorded, or if the document is in the base currency. */
  @Column('jsonb', { name: 'exchange_rate', nullable: true }) exchangeRate: AppliedRate | null;
  @Column('bigint', { name: 'base_subtotal_cents', nullable: true, transformer: safeInteger })
  baseSubtotalCents: number | null;
  @Column('bigint', { name: 'base_tax_cents', nullable: true, transformer: safeInteger }) baseTaxCents: number | null;
  @Column('bigint', { name: 'base_total_cents', nullable: true, transformer: safeInteger })
  baseTotalCents: number | null;
  /** Null for the price of a booking. A credit note has the purpose of its invoice. */
  @Column('text', { nullable: true }) purpose: InvoicePurpose | null;
  @Column('text', { name: 'lines_source' }) linesSource: LinesSource;
  @Column('text', { name: 'payer_source' }) payerSource: PayerSource;
  /** Amounts of invoices, which the table requires of credit notes as well: nothing is paid or credited on these. */
  @Column('bigint', { name: 'paid_cents', transformer: safeInteger }) protected paidCents = 0;
  @Column('bigint', { name: 'credited_cents', transformer: safeInteger }) protected creditedCents = 0;
  @Column('timestamptz', { name: 'issued_at', nullable: true }) issuedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 409 unless the document is a draft. */
  abstract assertDraft(): void;

  /** Returns the organization as of the issue; null for a draft. */
  seller(): Seller | null {
    const { sellerName: name, sellerAddress: address, sellerTaxId: taxId } = this;
    return name === null ? null : { name, address, taxId };
  }

  /** Takes the values that the database stored with the number. */
  protected takeNumber({ seller, base, ...numbering }: Numbering, now: Date): void {
    Object.assign(this, numbering, base, {
      sellerName: seller.name,
      sellerAddress: seller.address,
      sellerTaxId: seller.taxId,
      issuedAt: now,
      updatedAt: now,
      version: this.version + 1,
    });
  }

  /** Returns the members that the audit snapshots of both kinds compute in the same way. */
  protected imageWith(lines: readonly PricedLine[]): object {
    return {
      ...imageOf(this),
      seller: this.seller(),
      lines: lines.map((line) => ({
        bookingItemId: line.bookingItemId,
        description: line.description,
        quantity: line.quantity,
        priceBasis: line.priceBasis,
        unitPriceCents: line.unitPriceCents,
        taxCodeId: line.taxCodeId,
        taxCode: line.taxCode,
        taxKind: line.taxKind,
        taxRateBasisPoints: line.taxRateBasisPoints,
        netCents: line.netCents,
        taxCents: line.taxCents,
        totalCents: line.totalCents,
        mention: line.mention,
        serviceDate: line.serviceDate,
        serviceEndDate: line.serviceEndDate,
      })),
    };
  }
}

/** Returns the members of the issuer that the document itself keeps. */
export function sellerOf({ legalName, address, vatId, taxId }: IssuerCopy): Seller {
  return { name: legalName, address, taxId: vatId ?? taxId };
}
