import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Personal } from '../../../platform/database/table-declarations.js';
import { imageOf } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { ReservationPlan } from './reservation-plan.js';
import { missingMembers, type TravelerParty } from './traveler-party.js';
import type { TripComponent } from './trip-component.entity.js';

/** `checkout_started` is reserved for payment by customers. */
export const TRIP_STATUSES = named('TripStatus', [
  'draft',
  'priced',
  'reserve_in_progress',
  'reserved',
  'failed',
  'expired',
  'checkout_started',
  'booked',
  'cancelled',
]);
export type TripStatus = (typeof TRIP_STATUSES)[number];

const TRANSITIONS: Readonly<Record<TripStatus, readonly TripStatus[]>> = {
  draft: ['priced', 'cancelled'],
  priced: ['priced', 'draft', 'reserve_in_progress', 'cancelled'],
  reserve_in_progress: ['reserved', 'priced', 'failed'],
  reserved: ['expired', 'draft', 'booked', 'cancelled'],
  failed: ['priced', 'cancelled'],
  expired: ['priced', 'cancelled'],
  checkout_started: [],
  booked: ['cancelled'],
  cancelled: [],
};

/** In these statuses components and travelers can be changed, and the trip can be priced. */
const EDITABLE: readonly TripStatus[] = ['draft', 'priced', 'failed', 'expired'];

export interface TripPrices {
  subtotalCents: number | null;
  taxCents: number | null;
  totalCents: number | null;
  priceExpiresAt: Date | null;
}

const NO_PRICES: TripPrices = { subtotalCents: null, taxCents: null, totalCents: null, priceExpiresAt: null };

/** A trip as responses show it: with its components, and the plan of its last reservation. */
export interface TripView {
  trip: Trip;
  components: TripComponent[];
  plan: ReservationPlan | null;
}

/** The envelope of a trip. Every change of it, of its components or of its plans locks its row. */
@Entity('trip_envelopes')
export class Trip {
  @PrimaryColumn('text') id: string;
  @Personal('contact')
  @Column('text', { nullable: true })
  title: string | null;
  @Column('text') status: TripStatus;
  @Column('text') currency: string;
  @Personal('contact')
  @Unaudited('personal data; `partyMissing` names what it lacks')
  @Column('jsonb', { name: 'traveler_party', nullable: true })
  travelerParty: TravelerParty | null;
  @Column('bigint', { name: 'subtotal_cents', nullable: true, transformer: safeInteger }) subtotalCents: number | null;
  @Column('bigint', { name: 'tax_cents', nullable: true, transformer: safeInteger }) taxCents: number | null;
  @Column('bigint', { name: 'total_cents', nullable: true, transformer: safeInteger }) totalCents: number | null;
  @Column('timestamptz', { name: 'price_expires_at', nullable: true }) priceExpiresAt: Date | null;
  @Column('timestamptz', { name: 'hold_expires_at', nullable: true }) holdExpiresAt: Date | null;
  /** Until this time the process with the fencing token reserves the trip; afterwards another process may take over. */
  @Unaudited('says which process works on the reservation')
  @Column('timestamptz', { name: 'lease_expires_at', nullable: true })
  leaseExpiresAt: Date | null;
  @Unaudited('says which process works on the reservation')
  @Column('integer', { name: 'fencing_token' })
  fencingToken: number;
  /** When its current reservation began. */
  @Unaudited('says which process works on the reservation')
  @Column('timestamptz', { name: 'reserving_since', nullable: true })
  reservingSince: Date | null;
  /** Staff need to check the trip: one of its attentions is open. */
  @Column('boolean') attention: boolean;
  @Column('text', { name: 'booking_id', nullable: true }) bookingId: string | null;
  /** Who books the trip; the booking found or created one if it had none. */
  @Column('text', { name: 'customer_id', nullable: true }) customerId: string | null;
  @Column('timestamptz', { name: 'cancelled_at', nullable: true }) cancelledAt: Date | null;
  @Personal('contact')
  @Unaudited('free text; the reason of the entry')
  @Column('text', { name: 'cancel_reason', nullable: true })
  cancelReason: string | null;
  @Unaudited('the retention job records its own entry')
  @Column('timestamptz', { name: 'erased_at', nullable: true })
  erasedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  moveTo(to: TripStatus, now: Date): void {
    if (!TRANSITIONS[this.status].includes(to)) {
      throw this.invalidTransition(to, `A trip cannot go from ${this.status} to ${to}`);
    }
    if (this.status === 'reserve_in_progress') Object.assign(this, { leaseExpiresAt: null, reservingSince: null });
    if (this.status === 'reserved') this.holdExpiresAt = null;
    Object.assign(this, { status: to, updatedAt: now });
  }

  /** Whether the trip has active holds. */
  isHeldAt(now: Date): boolean {
    return this.status === 'reserved' && this.holdExpiresAt !== null && this.holdExpiresAt > now;
  }

  isEditable(): boolean {
    return EDITABLE.includes(this.status);
  }

  assertPriceable(): void {
    if (!this.isEditable()) throw this.invalidTransition('priced', `A trip that is ${this.status} cannot be priced`);
  }

  /** Clears the prices before a change of a component or of the travelers. */
  edit(now: Date): void {
    if (!this.isEditable()) throw this.invalidTransition('draft', `A trip that is ${this.status} cannot be edited`);
    if (this.status === 'priced') this.moveTo('draft', now);
    this.setPrices(NO_PRICES, now);
  }

  /** The booking takes the customer over, and a cancelled trip is closed. */
  assignCustomer(customerId: string | null): void {
    if (this.status === 'booked' || this.status === 'cancelled') {
      throw this.invalidTransition('draft', `The customer of a trip that is ${this.status} cannot be changed`);
    }
    this.customerId = customerId;
  }

  setPrices(prices: TripPrices, now: Date): void {
    if (prices.totalCents !== null && !Number.isSafeInteger(prices.totalCents)) {
      throw invalidField('quantity', 'Trip total would exceed 2^53-1', 'amount_too_large');
    }
    Object.assign(this, prices, { updatedAt: now });
  }

  startReservation(leaseExpiresAt: Date, now: Date): void {
    this.moveTo('reserve_in_progress', now);
    this.reservingSince = now;
    this.lease(leaseExpiresAt);
  }

  /** Makes the caller the one that reserves the trip. A process with an older token is rejected. */
  lease(until: Date): void {
    this.leaseExpiresAt = until;
    this.fencingToken += 1;
  }

  /** Ends a reservation that did not end on its own; from now on, the process that works on it is rejected. */
  abandon(now: Date): void {
    this.moveTo('failed', now);
    this.fencingToken += 1;
  }

  reserve(holdExpiresAt: Date, now: Date): void {
    this.moveTo('reserved', now);
    this.holdExpiresAt = holdExpiresAt;
  }

  /** Ends a reservation: the trip is a draft without prices. */
  unreserve(now: Date): void {
    this.moveTo('draft', now);
    this.setPrices(NO_PRICES, now);
  }

  cancel(reason: string | null, now: Date): void {
    this.moveTo('cancelled', now);
    Object.assign(this, { cancelledAt: now, cancelReason: reason });
  }

  /** Contains no name or address of the travelers. */
  auditImage(): object {
    return { ...imageOf(this), partyMissing: missingMembers(this.travelerParty) };
  }

  private invalidTransition(to: TripStatus, message: string): Error {
    return conflict('invalid_transition', message, { from: this.status, to, allowed: TRANSITIONS[this.status] });
  }
}
