import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { SoldLine } from '../../bookings/index.js';
import { isInternal, type ProviderName, type QuoteRequest } from '../providers/provider.js';

export const COMPONENT_KINDS = named('TripComponentKind', ['catalog_booking', 'external_order', 'manual_placeholder']);
export type ComponentKind = (typeof COMPONENT_KINDS)[number];

export const REPLACEMENT_KINDS = named('TripReplacementKind', ['external_order', 'manual_placeholder']);
export type ReplacementKind = (typeof REPLACEMENT_KINDS)[number];

export const COMPONENT_STATUSES = named('TripComponentStatus', [
  'draft',
  'priced',
  'unavailable',
  'held',
  'booked',
  'cancelling',
  'cancelled',
  'cancel_failed',
  'removed',
]);
export type ComponentStatus = (typeof COMPONENT_STATUSES)[number];

const PROVIDER_OF: Readonly<Record<ComponentKind, ProviderName>> = {
  catalog_booking: 'departures',
  external_order: 'simulated',
  manual_placeholder: 'manual',
};

const MAX_QUANTITY = 1_000_000;

/** Amounts in minor units of the trip's currency, for the whole quantity. */
export interface ComponentPrice {
  subtotalCents: number;
  taxCents: number;
  totalCents: number;
  currency: string;
  priceExpiresAt: Date;
}

/** A unit of the departure's product, and how many of it. */
export interface ComponentUnit {
  unitId: string;
  quantity: number;
}

/** One service of a trip. It is changed only while its trip is locked. */
@Entity('trip_components')
export class TripComponent extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'envelope_id' }) envelopeId: string;
  @Column('integer') position: number;
  @Column('text') kind: ComponentKind;
  @Personal('contact')
  @Column('text')
  title: string;
  @Column('integer') quantity: number;
  @Column('text') status: ComponentStatus;
  @Column('text', { name: 'departure_id', nullable: true }) departureId: string | null;
  /** Option of the product; only with units, and null for the default one. */
  @Column('text', { name: 'option_id', nullable: true }) optionId: string | null;
  /** Empty if it is sold by a quantity at the price of the departure. */
  @Impersonal()
  @Column('jsonb')
  units: ComponentUnit[];
  /** The units and their required extras, at the prices of the last pricing. */
  @Column('jsonb')
  lines: SoldLine[];
  @Column('text', { name: 'provider_ref', nullable: true }) providerRef: string | null;
  @Column('bigint', { name: 'unit_price_cents', nullable: true, transformer: safeInteger })
  unitPriceCents: number | null;
  @Column('bigint', { name: 'unit_tax_included_cents', nullable: true, transformer: safeInteger })
  unitTaxIncludedCents: number | null;
  /** Tax code of the booking item; with null the tax of the price applies. */
  @Column('text', { name: 'tax_code_id', nullable: true }) taxCodeId: string | null;
  @Column('boolean', { name: 'confirmed_by_staff' }) confirmedByStaff: boolean;
  @Column('date', { name: 'service_date', nullable: true }) serviceDate: string | null;
  @Column('text') currency: string;
  @Column('bigint', { name: 'subtotal_cents', nullable: true, transformer: safeInteger }) subtotalCents: number | null;
  @Column('bigint', { name: 'tax_cents', nullable: true, transformer: safeInteger }) taxCents: number | null;
  @Column('bigint', { name: 'total_cents', nullable: true, transformer: safeInteger }) totalCents: number | null;
  @Column('timestamptz', { name: 'price_expires_at', nullable: true }) priceExpiresAt: Date | null;
  @Column('timestamptz', { name: 'hold_expires_at', nullable: true }) holdExpiresAt: Date | null;
  /** The first of its items. */
  @Column('text', { name: 'booking_item_id', nullable: true }) bookingItemId: string | null;
  /** All of its items, in the order of its lines; empty for components that older builds booked. */
  @Column('text', { name: 'booking_item_ids', array: true }) bookingItemIds: string[];
  /** Amount that the provider charged for cancelling its order. */
  @Column('bigint', { name: 'cancellation_fee_cents', nullable: true, transformer: safeInteger })
  cancellationFeeCents: number | null;
  @Column('jsonb') warnings: string[];
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Whether it is priced, reserved and booked with the trip. */
  isActive(): boolean {
    return this.status !== 'cancelled' && this.status !== 'removed';
  }

  provider(): ProviderName {
    return PROVIDER_OF[this.kind];
  }

  isInternal(): boolean {
    return isInternal(this.provider());
  }

  quoteRequest(): QuoteRequest & { provider: ProviderName } {
    return {
      provider: this.provider(),
      componentId: this.id,
      departureId: this.departureId,
      optionId: this.optionId,
      units: this.units,
      providerRef: this.providerRef,
      quantity: this.quantity,
      currency: this.currency,
      unitPriceCents: this.unitPriceCents,
      unitTaxIncludedCents: this.unitTaxIncludedCents,
      serviceDate: this.serviceDate,
    };
  }

  /** Rejects the first member that is missing, or that components of this kind do not have. */
  assertMembersOfKind(): void {
    const { kind, departureId, providerRef, unitPriceCents, unitTaxIncludedCents } = this;
    const isManual = kind === 'manual_placeholder';
    const rules: readonly [field: string, isPresent: boolean, rule: 'required' | 'optional' | 'rejected'][] = [
      ['departureId', departureId !== null, kind === 'catalog_booking' ? 'required' : 'rejected'],
      ['units', this.units.length > 0, kind === 'catalog_booking' ? 'optional' : 'rejected'],
      ['providerRef', providerRef !== null, kind === 'external_order' ? 'required' : 'rejected'],
      ['unitPriceCents', unitPriceCents !== null, isManual ? 'optional' : 'rejected'],
      [
        'unitTaxIncludedCents',
        unitTaxIncludedCents !== null,
        isManual && unitPriceCents !== null ? 'optional' : 'rejected',
      ],
      ['confirmedByStaff', this.confirmedByStaff, isManual ? 'optional' : 'rejected'],
    ];
    for (const [field, isPresent, rule] of rules) {
      if (rule === 'required' && !isPresent) {
        throw invalidField(field, `A ${kind} requires ${field}`, 'missing_for_kind');
      }
      if (rule === 'rejected' && isPresent) {
        throw invalidField(field, `A ${kind} must not have ${field}`, 'not_of_kind');
      }
    }
    this.assertUnits();
    if ((unitTaxIncludedCents ?? 0) > (unitPriceCents ?? 0)) {
      const message = 'unitTaxIncludedCents must not exceed unitPriceCents';
      throw invalidField('unitTaxIncludedCents', message, 'tax_above_price');
    }
  }

  /** With units, their number is the quantity, and each has the tax code of its unit. */
  private assertUnits(): void {
    const { units, optionId, taxCodeId, quantity } = this;
    if (units.length === 0) {
      if (optionId !== null) throw invalidField('optionId', 'optionId requires units', 'not_applicable');
      return;
    }
    if (taxCodeId !== null) {
      throw invalidField('taxCodeId', 'taxCodeId must not be sent with units', 'not_applicable');
    }
    if (quantity !== numberOf(units)) {
      throw invalidField('quantity', 'quantity must not differ from the number of units', 'not_applicable');
    }
    if (quantity > MAX_QUANTITY)
      throw invalidField('units', `A component has at most ${MAX_QUANTITY} units`, 'too_many');
  }

  /** Whether every item that it becomes has a tax code. */
  isCoded(): boolean {
    if (this.units.length === 0) return this.taxCodeId !== null;
    return this.lines.every(({ taxCodeId }) => taxCodeId !== null);
  }

  /** Older builds price units like a quantity, and leave the lines as they were. */
  hasOutdatedLines(): boolean {
    const cents = this.lines.reduce((sum, { quantity, unitSellCents }) => sum + quantity * unitSellCents, 0);
    return this.units.length > 0 && cents !== this.totalCents;
  }

  clearPrice(): void {
    Object.assign(this, { status: 'draft', subtotalCents: null, taxCents: null, totalCents: null, warnings: [] });
    this.lines = [];
    this.priceExpiresAt = null;
  }

  price(price: ComponentPrice, { serviceDate, lines }: { serviceDate: string | null; lines: SoldLine[] }): void {
    Object.assign(this, price, { status: 'priced', warnings: [], lines });
    if (this.kind !== 'manual_placeholder') this.serviceDate = serviceDate;
  }

  /** The last price stays, so that the trip's total does not silently omit it. */
  markUnavailable(warning: string): void {
    Object.assign(this, { status: 'unavailable', warnings: [warning], holdExpiresAt: null });
  }

  hold(until: Date): void {
    Object.assign(this, { status: 'held', holdExpiresAt: until });
  }

  /** Called after its hold was released, or if there was none. */
  release(to: 'priced' | 'cancelled'): void {
    Object.assign(this, { status: to, holdExpiresAt: null });
  }

  book(bookingItemIds: string[]): void {
    const [bookingItemId = null] = bookingItemIds;
    Object.assign(this, { status: 'booked', holdExpiresAt: null, bookingItemId, bookingItemIds });
  }

  /** The items of the booking that it became. */
  itemIds(): string[] {
    if (this.bookingItemIds.length > 0) return this.bookingItemIds;
    return this.bookingItemId === null ? [] : [this.bookingItemId];
  }

  /** Its items without extras, which do not keep it alive. */
  unitItemIds(): string[] {
    return this.itemIds().filter((_, index) => this.lines[index]?.type !== 'extra');
  }

  /** The provider has cancelled the order, or has none. */
  cancelOrder(feeCents: number | null): void {
    Object.assign(this, { status: 'cancelled', holdExpiresAt: null, cancellationFeeCents: feeCents });
  }

  remove(): void {
    this.clearPrice();
    this.status = 'removed';
  }

  /** Whether the component must follow its departure to this day. A component that was never priced has no day yet. */
  isOnOtherDay(day: string): boolean {
    const { serviceDate, status } = this;
    if (!this.isActive() || status === 'cancelling' || status === 'cancel_failed') return false;
    return serviceDate !== null && serviceDate !== day;
  }
}

export function numberOf(units: readonly ComponentUnit[]): number {
  return units.reduce((sum, { quantity }) => sum + quantity, 0);
}
