import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';
import { imageOf } from '../../../platform/database/audited.js';
import { DELETE, Impersonal, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { named } from '../../../platform/http/named-values.js';
import type { SoldLine } from '../../bookings/index.js';
import type { Settlement } from '../connections/connection.entity.js';

export const STORED_STATUSES = named('OctoBookingStatus', ['ON_HOLD', 'CONFIRMED', 'CANCELLED', 'EXPIRED']);
export type StoredStatus = (typeof STORED_STATUSES)[number];

/** How much of the price the reseller gets back. */
export type Refund = 'FULL' | 'PARTIAL' | 'NONE';

/** The contact of a booking or of one of its units, as the reseller sent it. */
export interface OctoContact {
  fullName: string | null;
  firstName: string | null;
  lastName: string | null;
  emailAddress: string | null;
  phoneNumber: string | null;
  locales: string[];
  postalCode: string | null;
  country: string | null;
  notes: string | null;
}

/** A reservation of a reseller, and the sale that it became. Units on hold are released exactly once: when it leaves `ON_HOLD`. */
@Entity('octo_bookings')
export class OctoBooking {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'connection_id' }) connectionId: string;
  /** Chosen by the reseller. */
  @Impersonal()
  @Column('text')
  uuid: string;
  /** SHA-256 of the order, by which a repeated reservation is recognized. */
  @Unaudited('derived from the order')
  @Column('text')
  digest: string;
  /** Made to try the interface: it takes no units and no money. */
  @Column('boolean', { name: 'test_mode' }) testMode: boolean;
  @Column('text') status: StoredStatus;
  @Column('text', { name: 'product_id' }) productId: string;
  @Column('text', { name: 'option_id', nullable: true }) optionId: string | null;
  @Column('text', { name: 'departure_id' }) departureId: string;
  @Column('text') currency: string;
  /** Whether the product has vouchers. */
  @Column('boolean', { name: 'has_voucher' }) hasVoucher: boolean;
  @Impersonal()
  @Column('text')
  settlement: Settlement;
  @Personal('contract')
  @Column('text', { name: 'reseller_reference', nullable: true })
  resellerReference: string | null;
  @Personal('contract')
  @Unaudited('free text of the reseller')
  @Column('text', { nullable: true })
  notes: string | null;
  @Personal('contract')
  @Unaudited('personal data; the booking has it')
  @Column('jsonb')
  contact: OctoContact;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('timestamptz', { name: 'confirmed_at', nullable: true }) confirmedAt: Date | null;
  /** Fewest days before the departure on which a cancellation still refunds something; null until it is confirmed. */
  @Column('integer', { name: 'last_refund_days', nullable: true }) lastRefundDays: number | null;
  @Column('timestamptz', { name: 'cancelled_at', nullable: true }) cancelledAt: Date | null;
  @Personal('contract')
  @Unaudited('free text of the reseller')
  @Column('text', { name: 'cancel_reason', nullable: true })
  cancelReason: string | null;
  @Impersonal()
  @Column('text', { nullable: true })
  refund: Refund | null;
  @Column('text', { name: 'booking_id', nullable: true }) bookingId: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  isLapsed(now: Date): boolean {
    return this.status === 'ON_HOLD' && this.expiresAt !== null && this.expiresAt <= now;
  }

  /** The later of both ends counts, at most the given latest one. */
  extend(until: Date, latest: Date, now: Date): void {
    const end = new Date(Math.min(until.getTime(), latest.getTime()));
    if (this.expiresAt !== null && end > this.expiresAt) this.expiresAt = end;
    this.updatedAt = now;
  }

  expire(now: Date): void {
    Object.assign(this, { status: 'EXPIRED', expiresAt: null, updatedAt: now });
  }

  confirm(sale: { bookingId: string | null; lastRefundDays: number }, now: Date): void {
    Object.assign(this, { ...sale, status: 'CONFIRMED', expiresAt: null, confirmedAt: now, updatedAt: now });
  }

  cancel({ refund, reason }: { refund: Refund; reason: string | null }, now: Date): void {
    const cancelled = { status: 'CANCELLED', expiresAt: null, cancelledAt: now, cancelReason: reason, refund };
    Object.assign(this, cancelled, { updatedAt: now });
  }

  /** Staff reinstated the booking. */
  reinstate(now: Date): void {
    const live = { status: 'CONFIRMED', cancelledAt: null, cancelReason: null, refund: null };
    Object.assign(this, live, { updatedAt: now });
  }

  auditImage(): object {
    return imageOf(this);
  }
}

/** How a unit becomes an item of a booking, fixed when it was reserved; the price is `listUnitSellCents`. */
export type SoldOctoUnit = Omit<SoldLine, 'type' | 'quantity' | 'unitSellCents' | 'taxIncludedCents'>;

/** One sold unit of a reservation. */
@Rights(DELETE)
@Unaudited('the entry of the reservation records its changes')
@Entity('octo_unit_items')
export class OctoUnitItem {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'octo_booking_id' }) octoBookingId: string;
  @Impersonal()
  @Column('text')
  uuid: string;
  @Column('integer') position: number;
  @Column('text', { name: 'unit_id' }) unitId: string;
  @Personal('contract')
  @Column('text', { name: 'reseller_reference', nullable: true })
  resellerReference: string | null;
  @Personal('contract')
  @Column('jsonb')
  contact: OctoContact;
  /** Where its seats were taken; null for the general pool. */
  @Column('text', { name: 'allotment_id', nullable: true }) allotmentId: string | null;
  @Column('integer') seats: number;
  @Column('bigint', { name: 'retail_cents', transformer: safeInteger }) retailCents: number;
  @Column('bigint', { name: 'net_cents', transformer: safeInteger }) netCents: number;
  @Impersonal()
  @Column('jsonb', { name: 'sold_unit' })
  soldUnit: SoldOctoUnit;
  @Column('text', { name: 'booking_item_id', nullable: true }) bookingItemId: string | null;
  /** Staff cancelled the item of the booking. */
  @Column('timestamptz', { name: 'cancelled_at', nullable: true }) cancelledAt: Date | null;
}
