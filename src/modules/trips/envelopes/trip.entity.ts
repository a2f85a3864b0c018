import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import type { TravelerParty } from './traveler-party.js';
import { EDITABLE, TRIP_MOVES, type TripStatus } from './trip-status.js';

export interface Prices {
  subtotalCents: number | null;
  taxCents: number | null;
  totalCents: number | null;
  priceExpiresAt: Date | null;
}

/** The envelope of a trip: its state, its sums, and who works on its reservation. */
@Entity('trip_envelopes')
export class Trip {
  @PrimaryColumn('text') id: string;
  @Column('text', { nullable: true }) title: string | null;
  @Column('text') status: TripStatus;
  @Column('text') currency: string;
  @Column('jsonb', { name: 'traveler_party', nullable: true }) travelerParty: TravelerParty | null;
  @Column('bigint', { name: 'subtotal_cents', nullable: true, transformer: safeInteger }) subtotalCents: number | null;
  @Column('bigint', { name: 'tax_cents', nullable: true, transformer: safeInteger }) taxCents: number | null;
  @Column('bigint', { name: 'total_cents', nullable: true, transformer: safeInteger }) totalCents: number | null;
  @Column('timestamptz', { name: 'price_expires_at', nullable: true }) priceExpiresAt: Date | null;
  @Column('timestamptz', { name: 'hold_expires_at', nullable: true }) holdExpiresAt: Date | null;
  /** Until then whoever has the fencing token reserves the trip; afterwards the sweeper takes it over. */
  @Column('timestamptz', { name: 'lease_expires_at', nullable: true }) leaseExpiresAt: Date | null;
  @Column('integer', { name: 'fencing_token' }) fencingToken: number;
  /** Somebody has to look: a provider did not take back, or did not confirm, what it holds. */
  @Column('boolean') attention: boolean;
  @Column('text', { name: 'booking_id', nullable: true }) bookingId: string | null;
  @Column('timestamptz', { name: 'cancelled_at', nullable: true }) cancelledAt: Date | null;
  @Column('text', { name: 'cancel_reason', nullable: true }) cancelReason: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 409 `invalid_transition`. */
  move(to: TripStatus, now: Date): void {
    if (!TRIP_MOVES[this.status].includes(to)) {
      const allowed = TRIP_MOVES[this.status];
      throw conflict('invalid_transition', `A trip cannot go from ${this.status} to ${to}`, {
        from: this.status,
        to,
        allowed,
      });
    }
    if (this.status === 'reserve_in_progress') this.leaseExpiresAt = null;
    if (this.status === 'reserved') this.holdExpiresAt = null;
    Object.assign(this, { status: to, updatedAt: now });
  }

  /** Whether it is reserved, and its holds are live. */
  isHeldAt(now: Date): boolean {
    return this.status === 'reserved' && this.holdExpiresAt !== null && this.holdExpiresAt > now;
  }

  /** Throws 409 `invalid_transition`. */
  cancel(reason: string | null, now: Date): void {
    this.move('cancelled', now);
    Object.assign(this, { cancelledAt: now, cancelReason: reason });
  }

  /** A component or the travelers are another now, so no price holds any longer. Throws 409 `invalid_transition`. */
  edit(now: Date): void {
    if (!EDITABLE.includes(this.status)) {
      throw conflict('invalid_transition', `A trip that is ${this.status} cannot be edited`, {
        from: this.status,
        to: 'draft',
        allowed: TRIP_MOVES[this.status],
      });
    }
    if (this.status === 'priced') this.move('draft', now);
    this.takePrices({ subtotalCents: null, taxCents: null, totalCents: null, priceExpiresAt: null }, now);
  }

  /** Throws 400 beyond 2^53-1. */
  takePrices(prices: Prices, now: Date): void {
    if (prices.totalCents !== null && !Number.isSafeInteger(prices.totalCents)) {
      throw invalidField('quantity', 'Trip total would exceed 2^53-1', 'amount_too_large');
    }
    Object.assign(this, prices, { updatedAt: now });
  }

  /** Whoever comes with an older token from now on is refused. */
  lease(until: Date): void {
    this.leaseExpiresAt = until;
    this.fencingToken += 1;
  }
}
