import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';

export const COMPONENT_KINDS = named('TripComponentKind', ['catalog_booking', 'external_order', 'manual_placeholder']);
export type ComponentKind = (typeof COMPONENT_KINDS)[number];

export const COMPONENT_STATUSES = named('TripComponentStatus', [
  'draft',
  'priced',
  'unavailable',
  'held',
  'booked',
  'cancelled',
  'removed',
]);
export type ComponentStatus = (typeof COMPONENT_STATUSES)[number];

/** A component's price; all amounts in minor units of the trip's currency, for the whole quantity. */
export interface ComponentPrice {
  subtotalCents: number;
  taxCents: number;
  totalCents: number;
  currency: string;
  priceExpiresAt: Date;
}

/** One service of a trip. Its trip's lock is its own. */
@Entity('trip_components')
export class TripComponent {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'envelope_id' }) envelopeId: string;
  @Column('integer') position: number;
  @Column('text') kind: ComponentKind;
  @Column('text') title: string;
  @Column('integer') quantity: number;
  @Column('text') status: ComponentStatus;
  @Column('text', { name: 'departure_id', nullable: true }) departureId: string | null;
  @Column('text', { name: 'provider_ref', nullable: true }) providerRef: string | null;
  @Column('bigint', { name: 'unit_price_cents', nullable: true, transformer: safeInteger })
  unitPriceCents: number | null;
  @Column('bigint', { name: 'unit_tax_included_cents', nullable: true, transformer: safeInteger })
  unitTaxIncludedCents: number | null;
  @Column('boolean', { name: 'confirmed_by_staff' }) confirmedByStaff: boolean;
  @Column('date', { name: 'service_date', nullable: true }) serviceDate: string | null;
  @Column('text') currency: string;
  @Column('bigint', { name: 'subtotal_cents', nullable: true, transformer: safeInteger }) subtotalCents: number | null;
  @Column('bigint', { name: 'tax_cents', nullable: true, transformer: safeInteger }) taxCents: number | null;
  @Column('bigint', { name: 'total_cents', nullable: true, transformer: safeInteger }) totalCents: number | null;
  @Column('timestamptz', { name: 'price_expires_at', nullable: true }) priceExpiresAt: Date | null;
  @Column('timestamptz', { name: 'hold_expires_at', nullable: true }) holdExpiresAt: Date | null;
  @Column('text', { name: 'booking_item_id', nullable: true }) bookingItemId: string | null;
  @Column('jsonb') warnings: string[];
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Whether it belongs to the trip still: what is priced, held and booked with it. */
  isActive(): boolean {
    return this.status !== 'cancelled' && this.status !== 'removed';
  }

  /** Its price holds no longer. */
  voidPrice(): void {
    Object.assign(this, { status: 'draft', subtotalCents: null, taxCents: null, totalCents: null, warnings: [] });
    this.priceExpiresAt = null;
  }

  price(price: ComponentPrice, serviceDate: string | null): void {
    Object.assign(this, price, { status: 'priced', warnings: [] });
    if (this.kind !== 'manual_placeholder') this.serviceDate = serviceDate;
  }

  /** What it cost last stays with it, so that nothing is left out of the trip's total without a word. */
  lose(warning: string): void {
    Object.assign(this, { status: 'unavailable', warnings: [warning], holdExpiresAt: null });
  }

  hold(until: Date): void {
    Object.assign(this, { status: 'held', holdExpiresAt: until });
  }

  /** It is held no more; or it never was. */
  letGo(to: 'priced' | 'cancelled'): void {
    Object.assign(this, { status: to, holdExpiresAt: null });
  }

  book(bookingItemId: string): void {
    Object.assign(this, { status: 'booked', holdExpiresAt: null, bookingItemId });
  }
}
