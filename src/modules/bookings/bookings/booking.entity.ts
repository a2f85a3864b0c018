import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';
import { conflict, invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import type { Terms, TermsLine } from '../../legal/index.js';
import type { PaymentPolicy } from '../payment-policies/payment-policy.js';
import type { BookingStatus } from './booking-status.js';

/** Where people can take a booking; between confirmation and completion the calendar does. */
const MOVES: Record<BookingStatus, readonly BookingStatus[]> = {
  draft: ['confirmed', 'cancelled'],
  confirmed: ['cancelled'],
  in_progress: ['cancelled'],
  completed: [],
  cancelled: [],
};

const CLOSED: readonly BookingStatus[] = ['completed', 'cancelled'];

/** What may still be corrected once nothing of the booking is going to happen any more. */
const OPEN_WHEN_CLOSED = ['customerName', 'customerEmail', 'notes'];

export interface BookingChanges {
  number?: string;
  currency?: string;
  customerName?: string;
  customerEmail?: string | null;
  startDate?: string | null;
  endDate?: string | null;
  notes?: string | null;
  paymentPolicy?: PaymentPolicy | null;
  channelId?: string | null;
}

/** A customer's order of travel services, in one currency. Whoever changes it or its items holds its row. */
@Entity('bookings')
export class Booking {
  @PrimaryColumn('text') id: string;
  @Column('text') number: string;
  @Column('text') status: BookingStatus;
  @Column('text') currency: string;
  /** Sum of the live items; null until there is an item. */
  @Column('bigint', { name: 'total_cents', nullable: true, transformer: safeInteger }) totalCents: number | null;
  @Column('text', { name: 'customer_name' }) customerName: string;
  @Column('text', { name: 'customer_email', nullable: true }) customerEmail: string | null;
  @Column('date', { name: 'start_date', nullable: true }) startDate: string | null;
  @Column('date', { name: 'end_date', nullable: true }) endDate: string | null;
  @Column('text', { nullable: true }) notes: string | null;
  /** Instead of the organization's. */
  @Column('jsonb', { name: 'payment_policy', nullable: true }) paymentPolicy: PaymentPolicy | null;
  @Column('text', { name: 'channel_id', nullable: true }) channelId: string | null;
  @Column('timestamptz', { name: 'confirmed_at', nullable: true }) confirmedAt: Date | null;
  @Column('timestamptz', { name: 'cancelled_at', nullable: true }) cancelledAt: Date | null;
  @Column('text', { name: 'cancel_reason', nullable: true }) cancelReason: string | null;
  /** Those of its confirmation; they never change. */
  @Column('jsonb', { nullable: true }) terms: TermsLine[] | null;
  @Column('text', { name: 'terms_sha256', nullable: true }) termsSha256: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 400 where it would end before it starts, 409 `booking_closed`, `currency_immutable`. */
  change(changes: BookingChanges, now: Date): void {
    const lockedFields = Object.keys(changes).filter((field) => !OPEN_WHEN_CLOSED.includes(field));
    if (CLOSED.includes(this.status) && lockedFields.length > 0) {
      throw conflict('booking_closed', `These fields cannot be changed while the booking is ${this.status}`, {
        status: this.status,
        lockedFields,
      });
    }
    if (this.totalCents !== null && (changes.currency ?? this.currency) !== this.currency) {
      throw conflict('currency_immutable', 'The currency cannot be changed once the booking has items', {
        currency: this.currency,
      });
    }
    Object.assign(this, changes, { updatedAt: now });
    this.assertDates();
  }

  assertDates(): void {
    if (this.startDate === null || this.endDate === null || this.endDate >= this.startDate) return;
    throw invalidField('endDate', 'endDate must not be before startDate', 'end_before_start');
  }

  /** Throws 409 `booking_closed`. */
  assertItemsOpen(): void {
    if (!CLOSED.includes(this.status)) return;
    throw conflict('booking_closed', `Items cannot be changed while the booking is ${this.status}`, {
      status: this.status,
    });
  }

  /** An item is there or worth more or less by so much. Throws 400 beyond 2^53-1, 422 `negative_total`. */
  addToTotal(cents: number, now: Date): void {
    const totalCents = (this.totalCents ?? 0) + cents;
    if (totalCents < 0) {
      throw unprocessable('negative_total', 'Booking total would be negative', { totalCents });
    }
    if (!Number.isSafeInteger(totalCents)) {
      throw invalidField('unitSellCents', 'Booking total would exceed 2^53-1', 'amount_too_large');
    }
    Object.assign(this, { totalCents, updatedAt: now });
  }

  /** Throws 409 `invalid_transition`, `booking_not_priced`. */
  confirm(liveItems: number, now: Date): void {
    this.assertMove('confirmed');
    if (liveItems === 0) throw conflict('booking_not_priced', 'The booking has no active items');
    Object.assign(this, { status: 'confirmed', confirmedAt: now, updatedAt: now });
  }

  /** Of a booking that was just confirmed. */
  sellUnder({ lines, sha256 }: Terms): void {
    Object.assign(this, { terms: lines, termsSha256: sha256 });
  }

  /** With all its items, so that nothing of its total is left. Throws 409 `invalid_transition`. */
  cancel(reason: string, now: Date): void {
    this.assertMove('cancelled');
    const totalCents = this.totalCents === null ? null : 0;
    Object.assign(this, { status: 'cancelled', cancelledAt: now, cancelReason: reason, totalCents, updatedAt: now });
  }

  private assertMove(to: BookingStatus): void {
    if (MOVES[this.status].includes(to)) return;
    throw conflict('invalid_transition', `A booking cannot go from ${this.status} to ${to}`, {
      from: this.status,
      to,
      allowed: MOVES[this.status],
    });
  }
}
