import { extensible, named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Personal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import type { Columns } from '../../../platform/database/rows.js';
import { safeInteger } from '../../../platform/database/columns.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { PRICE_SOURCES } from '../../products/index.js';
import type { TaxKind, TaxOfDay } from '../../taxes/index.js';
import {
  assertStatedTax,
  codedTax,
  type EarlierRate,
  NO_EARLIER_RATE,
  priceItem,
  scaledCost,
  scaledTax,
} from './item-price.js';

export const ITEM_TYPES = extensible('BookingItemType', [
  'unit',
  'extra',
  'service',
  'fee',
  'tax',
  'discount',
  'adjustment',
  'accommodation',
  'transport',
  'other',
]);
export type ItemType = (typeof ITEM_TYPES)[number];

/** An item is live until it is cancelled. */
export const ITEM_STATUSES = named('BookingItemStatus', ['confirmed', 'cancelled', 'fulfilled']);
export type ItemStatus = (typeof ITEM_STATUSES)[number];

export const PRICING_TREATMENTS = named('PricingTreatment', ['standard', 'pass_through']);
export type PricingTreatment = (typeof PRICING_TREATMENTS)[number];

/** Where the price of an item comes from: `extra` is that of an extra of the product, `manual` a typed price. */
export const ITEM_PRICE_SOURCES = extensible('BookingItemPriceSource', [...PRICE_SOURCES, 'manual', 'extra']);
export type ItemPriceSource = (typeof ITEM_PRICE_SOURCES)[number];

/**
 * Whether the external provider has confirmed the item; `none` without one. It follows the trip component that the item was
 * sold for; only the trips module and the cancellation of the item change it.
 */
export const SUPPLIER_STATUSES = named('SupplierStatus', [
  'none',
  'pending',
  'confirmed',
  'refused',
  'cancelling',
  'cancelled',
  'cancel_failed',
]);
export type SupplierStatus = (typeof SUPPLIER_STATUSES)[number];

/** While the provider has or may have an order, a cancelled item must also be cancelled there. */
export const LIVE_AT_SUPPLIER: readonly SupplierStatus[] = ['pending', 'confirmed'];

export interface ItemChanges {
  type?: ItemType;
  title?: string;
  quantity?: number;
  unitSellCents?: number;
  taxIncludedCents?: number;
  taxCodeId?: string | null;
  refundable?: boolean;
  costCents?: number | null;
  costCurrency?: string | null;
  pricingTreatment?: PricingTreatment;
  serviceDate?: string | null;
  departureId?: string | null;
  allotmentId?: string | null;
  pickupFacilityId?: string | null;
  pickupNote?: string | null;
}

/** The people of one item. */
const MAX_PEOPLE = 1_000_000;

/** What one unit of an item stands for, and its price in the price list or of the departure when it is sold. */
export interface UnitOfItem {
  productId: string | null;
  optionId: string | null;
  unitId: string | null;
  extraId: string | null;
  seatsPerUnit: number;
  peoplePerUnit: number;
  listUnitSellCents: number | null;
  priceListId: string | null;
  priceListVersion: number | null;
}

export const NO_UNIT: UnitOfItem = {
  productId: null,
  optionId: null,
  unitId: null,
  extraId: null,
  seatsPerUnit: 1,
  peoplePerUnit: 1,
  listUnitSellCents: null,
  priceListId: null,
  priceListVersion: null,
};

/** One sold service of a booking: a seat on a tour, a night, a fee, a discount. */
@Entity('booking_items')
export class BookingItem extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  /** The booking's currency, which cannot change while there is an item. */
  @Column('text') currency: string;
  @Column('text') type: ItemType;
  @Personal('contract')
  @Column('text')
  title: string;
  @Column('text') status: ItemStatus;
  @Column('integer') quantity: number;
  @Column('bigint', { name: 'unit_sell_cents', transformer: safeInteger }) unitSellCents: number;
  @Column('bigint', { name: 'total_sell_cents', transformer: safeInteger }) totalSellCents: number;
  /** Tax for the whole quantity, between 0 and the total; the tax of a discount is negative. */
  @Column('bigint', { name: 'tax_included_cents', transformer: safeInteger }) taxIncludedCents: number;
  /** Null if the client sends the tax as an amount. */
  @Column('text', { name: 'tax_code_id', nullable: true }) taxCodeId: string | null;
  /** The text of the tax code, copied like the next two for the service date, or for the day of creation without one. */
  @Column('text', { name: 'tax_code', nullable: true }) taxCode: string | null;
  @Column('text', { name: 'tax_kind', nullable: true }) taxKind: TaxKind | null;
  @Column('integer', { name: 'tax_rate_basis_points', nullable: true }) taxRateBasisPoints: number | null;
  /**
   * The tax code has another rate on the service date: documents with the copied rate were issued before the date moved, or
   * the rate was added after the sale.
   */
  @Column('boolean', { name: 'tax_rate_changed' }) taxRateChanged: boolean;
  /** The part of the total that documents bill at earlier rates; it keeps its tax. */
  @Column('bigint', { name: 'earlier_rate_cents', transformer: safeInteger }) earlierRateCents: number;
  /** The tax of `earlierRateCents`. */
  @Column('bigint', { name: 'earlier_rate_tax_cents', transformer: safeInteger }) earlierRateTaxCents: number;
  /** If false, the organization keeps the full price when the booking is cancelled. */
  @Column('boolean') refundable: boolean;
  /** Amount owed to the supplier for the whole quantity. */
  @Column('bigint', { name: 'cost_cents', nullable: true, transformer: safeInteger }) costCents: number | null;
  @Column('text', { name: 'cost_currency', nullable: true }) costCurrency: string | null;
  @Column('text', { name: 'pricing_treatment' }) pricingTreatment: PricingTreatment;
  /** The start date of the departure, if the item has one. */
  @Column('date', { name: 'service_date', nullable: true }) serviceDate: string | null;
  /** Takes `seatsPerUnit` for each of its quantity from this departure. */
  @Column('text', { name: 'departure_id', nullable: true }) departureId: string | null;
  /** The product of the departure, which may lack a record. */
  @Column('text', { name: 'product_id', nullable: true }) productId: string | null;
  /** The option of the product. */
  @Column('text', { name: 'option_id', nullable: true }) optionId: string | null;
  /** The unit of the product that the item sells; null for an item without one. */
  @Column('text', { name: 'unit_id', nullable: true }) unitId: string | null;
  /** The extra of the product that the item sells; it takes no capacity of the departure. */
  @Column('text', { name: 'extra_id', nullable: true }) extraId: string | null;
  /** Capacity of the departure that one unit takes. */
  @Column('integer', { name: 'seats_per_unit' }) seatsPerUnit: number;
  /** People that one unit stands for. */
  @Column('integer', { name: 'people_per_unit' }) peoplePerUnit: number;
  @Column('text', { name: 'price_source' }) priceSource: ItemPriceSource;
  /** Unit price in the price list, otherwise of the departure, when the item was sold; null without either. */
  @Column('bigint', { name: 'list_unit_sell_cents', nullable: true, transformer: safeInteger })
  listUnitSellCents: number | null;
  /** The price list with this price, and its version when the item was sold. */
  @Column('text', { name: 'price_list_id', nullable: true }) priceListId: string | null;
  @Column('integer', { name: 'price_list_version', nullable: true }) priceListVersion: number | null;
  /** Takes the units from this allotment. */
  @Column('text', { name: 'allotment_id', nullable: true }) allotmentId: string | null;
  /** Where the people of the item are picked up. */
  @Column('text', { name: 'pickup_facility_id', nullable: true }) pickupFacilityId: string | null;
  @Personal('contract')
  @Column('text', { name: 'pickup_note', nullable: true })
  pickupNote: string | null;
  @Column('text', { name: 'supplier_status' }) supplierStatus: SupplierStatus;
  @Column('timestamptz', { name: 'cancelled_at', nullable: true }) cancelledAt: Date | null;
  @Personal('contract')
  @Unaudited('free text; the reason of the entry')
  @Column('text', { name: 'cancel_reason', nullable: true })
  cancelReason: string | null;
  /** The item was cancelled together with the booking. */
  @Column('boolean', { name: 'cancelled_with_booking' }) cancelledWithBooking: boolean;
  /** The cancelled item for which this one is the fee. */
  @Column('text', { name: 'fee_of_item_id', nullable: true }) feeOfItemId: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: ItemChanges, now: Date): void {
    if (this.status === 'cancelled')
      throw conflict('booking_item_cancelled', 'A cancelled booking item cannot be changed');
    this.assertSoldByUnit(changes);
    const { taxCodeId: _, ...fields } = changes;
    const { quantity = this.quantity, unitSellCents = this.unitSellCents } = changes;
    const { taxIncludedCents = scaledTax(this, { quantity, unitSellCents }) } = changes;
    const { costCents = scaledCost(this, quantity) } = changes;
    Object.assign(this, fields, { taxIncludedCents, costCents, updatedAt: now });
    this.price();
  }

  /** Computes the tax with the rate of a tax code; null keeps the tax as an amount. A sent tax must not differ. */
  taxBy(tax: TaxOfDay | null, statedCents: number | undefined): void {
    const none = { taxCodeId: null, taxCode: null, taxKind: null, taxRateBasisPoints: null };
    this.retax({ ...(tax ?? none), ...NO_EARLIER_RATE }, statedCents);
  }

  /** Applies the rate of the service date to the part that is not billed; the billed part keeps its tax. */
  recalculateTax(tax: TaxOfDay, billed: EarlierRate, now: Date): void {
    this.updatedAt = now;
    this.retax({ ...tax, ...billed }, undefined);
  }

  /** Stores a changed part billed at other rates. Returns whether the item changed. */
  followBilled(billed: EarlierRate, now: Date): boolean {
    const { earlierRateCents, earlierRateTaxCents } = billed;
    const isSame = this.earlierRateCents === earlierRateCents && this.earlierRateTaxCents === earlierRateTaxCents;
    if (isSame) return false;
    this.updatedAt = now;
    Object.assign(this, { earlierRateCents, earlierRateTaxCents });
    this.computeTax(undefined);
    return true;
  }

  /** Computes the tax with the rate of the service date; the part billed at another rate keeps its tax. */
  confirmRate(tax: TaxOfDay, statedCents: number | undefined): void {
    this.retax(tax, statedCents);
  }

  /** Computes the tax of an item with a tax code after a change of its price. */
  computeTax(statedCents: number | undefined): void {
    const { taxKind, taxRateBasisPoints, totalSellCents } = this;
    if (taxKind === null || taxRateBasisPoints === null) return;
    // A credit that becomes a charge, or the reverse, was not billed.
    if (totalSellCents !== 0 && Math.sign(totalSellCents) !== Math.sign(this.earlierRateCents)) {
      Object.assign(this, NO_EARLIER_RATE);
    }
    const taxCents = codedTax(totalSellCents, { taxKind, taxRateBasisPoints }, this);
    assertStatedTax(statedCents, taxCents);
    this.taxIncludedCents = taxCents;
  }

  /** Units of the departure that the item takes. */
  units(): number {
    return this.quantity * this.seatsPerUnit;
  }

  people(): number {
    return this.quantity * this.peoplePerUnit;
  }

  cancel(reason: string | null, now: Date): void {
    if (this.status !== 'confirmed') {
      throw conflict('invalid_transition', `An item that is ${this.status} cannot be cancelled`, {
        from: this.status,
        to: 'cancelled',
        allowed: [],
      });
    }
    Object.assign(this, { status: 'cancelled', cancelledAt: now, cancelReason: reason, updatedAt: now });
    if (LIVE_AT_SUPPLIER.includes(this.supplierStatus)) this.supplierStatus = 'cancelling';
  }

  /** Reverses a cancellation. */
  reinstate(now: Date): void {
    if (this.status !== 'cancelled') {
      throw conflict('invalid_transition', `An item that is ${this.status} cannot be reinstated`, {
        from: this.status,
        to: 'confirmed',
        allowed: this.status === 'confirmed' ? ['cancelled'] : [],
      });
    }
    const live = { status: 'confirmed', cancelledAt: null, cancelReason: null, cancelledWithBooking: false };
    Object.assign(this, live, { updatedAt: now });
  }

  listAt(unit: UnitOfItem): void {
    Object.assign(this, unit);
    this.followPrice();
  }

  /** Computes the total; call it after a change of prices or quantities. */
  price(): void {
    if (this.people() > MAX_PEOPLE) {
      throw invalidField('quantity', 'The quantity stands for too many people', 'too_large', { max: MAX_PEOPLE });
    }
    if (this.allotmentId !== null && this.departureId === null) {
      throw invalidField('allotmentId', 'allotmentId requires departureId', 'departure_missing');
    }
    for (const member of ['pickupFacilityId', 'pickupNote'] as const) {
      if (this[member] === null || this.departureId !== null) continue;
      throw invalidField(member, `${member} requires departureId`, 'departure_missing');
    }
    this.totalSellCents = priceItem(this);
    this.followPrice();
  }

  /** Throws 400 for a change that the unit of the item does not allow. */
  private assertSoldByUnit({ type = this.type, departureId = this.departureId }: ItemChanges): void {
    if (this.unitId === null && this.extraId === null) return;
    const message = 'An item that is sold by units stays on a departure and keeps its type';
    if (type !== this.type) throw invalidField('type', message, 'not_applicable');
    if (departureId === null) throw invalidField('departureId', message, 'not_applicable');
  }

  /** A typed price that equals the list price counts as the list price. */
  private followPrice(): void {
    if (this.unitSellCents !== this.listUnitSellCents) this.priceSource = 'manual';
    else if (this.extraId !== null) this.priceSource = 'extra';
    else this.priceSource = this.priceListId === null ? 'departure' : 'list';
  }

  private retax(tax: Partial<Columns<BookingItem>>, statedCents: number | undefined): void {
    Object.assign(this, tax, { taxRateChanged: false });
    this.computeTax(statedCents);
  }
}
