import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { type AppError, conflict } from '../../../platform/errors/app-error.js';
import { extensible, named } from '../../../platform/http/named-values.js';

export const WAITING_STATUSES = named('WaitingEntryStatus', ['waiting', 'offered', 'accepted', 'expired', 'withdrawn']);
export type WaitingStatus = (typeof WAITING_STATUSES)[number];

/** Why an entry ended without a booking. */
export const WAITING_END_REASONS = extensible('WaitingEntryEndReason', [
  'withdrawn_by_staff',
  'declined_by_customer',
  'offer_expired',
  'departure_departed',
  'departure_cancelled',
  'customer_erased',
]);
export type WaitingEndReason = (typeof WAITING_END_REASONS)[number];

export interface WaitingUnit {
  unitId: string;
  quantity: number;
}

/** What a customer waits for, and the seats that it takes. */
export interface WaitingNeed {
  optionId: string | null;
  units: WaitingUnit[];
  quantity: number | null;
  seats: number;
}

/** Changes by staff; what the customer needs is computed. */
export interface WaitingChanges {
  priority?: number;
  note?: string | null;
}

/** An accepted offer is a booking. The entry waits for units of a departure, or of any departure of the product in a range of days. */
@Entity('waiting_entries')
export class WaitingEntry extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'departure_id', nullable: true }) departureId: string | null;
  @Column('text', { name: 'product_id' }) productId: string;
  /** Local days on which a departure may start, both inclusive. */
  @Column('date', { name: 'from_date', nullable: true }) from: string | null;
  @Column('date', { name: 'to_date', nullable: true }) to: string | null;
  @Column('text', { name: 'option_id', nullable: true }) optionId: string | null;
  /** Empty if the product is not sold by units; then `quantity` counts seats. */
  @Impersonal()
  @Column('jsonb')
  units: WaitingUnit[];
  @Column('integer', { nullable: true }) quantity: number | null;
  /** Capacity that an offer holds. */
  @Column('integer') seats: number;
  /** Null once the data of the customer was erased. */
  @Column('text', { name: 'customer_id', nullable: true }) customerId: string | null;
  @Column('integer') priority: number;
  @Personal('contact')
  @Column('text', { nullable: true })
  note: string | null;
  @Column('text') status: WaitingStatus;
  /** Number of offers so far. */
  @Column('integer') offers: number;
  @Column('text', { name: 'offered_departure_id', nullable: true }) offeredDepartureId: string | null;
  @Column('timestamptz', { name: 'offered_at', nullable: true }) offeredAt: Date | null;
  @Column('timestamptz', { name: 'offer_expires_at', nullable: true }) offerExpiresAt: Date | null;
  /** The mail about the present offer. */
  @Column('text', { name: 'message_id', nullable: true }) messageId: string | null;
  @Column('text', { name: 'booking_id', nullable: true }) bookingId: string | null;
  @Impersonal()
  @Column('text', { name: 'end_reason', nullable: true })
  endReason: WaitingEndReason | null;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Offered units cannot be changed, because the customer was informed of them. */
  change(changes: WaitingChanges, need: WaitingNeed | null, now: Date): void {
    this.assertOpen();
    if (need && this.status === 'offered') {
      throw conflict(
        'entry_offered',
        'The units of the entry are offered: withdraw it, or wait for the end of the offer',
      );
    }
    Object.assign(this, changes, need, { updatedAt: now });
  }

  offer({ departureId, expiresAt }: { departureId: string; expiresAt: Date }, now: Date): void {
    const offer = { offeredDepartureId: departureId, offeredAt: now, offerExpiresAt: expiresAt, messageId: null };
    Object.assign(this, { status: 'offered', offers: this.offers + 1, ...offer, updatedAt: now });
  }

  /** An offer never lasts longer than the sales of its departure. */
  shortenOffer(latest: Date, now: Date): boolean {
    if (this.offerExpiresAt === null || this.offerExpiresAt <= latest) return false;
    Object.assign(this, { offerExpiresAt: latest, updatedAt: now });
    return true;
  }

  /** Its offer, if there is one, ended; or the entry itself had ended with its departure, which takes place after all. */
  waitAgain(now: Date): void {
    Object.assign(this, { status: 'waiting', endReason: null, endedAt: null, ...NO_OFFER, updatedAt: now });
  }

  assertOffered(now: Date): void {
    if (this.status === 'offered' && this.offerExpiresAt !== null && this.offerExpiresAt > now) return;
    if (this.status === 'offered' || this.endReason === 'offer_expired') {
      throw conflict('offer_expired', 'The offer has expired', {
        offerExpiresAt: (this.offerExpiresAt ?? this.endedAt)?.toISOString() ?? null,
      });
    }
    throw this.invalidTransition('accepted', []);
  }

  /** Throws 409 unless this is the present offer; they are counted from 1. */
  assertOffer(offer: number, now: Date): void {
    this.assertOffered(now);
    if (this.offers !== offer) throw conflict('offer_expired', 'The offer has expired', { offerExpiresAt: null });
  }

  accept(bookingId: string, now: Date): void {
    const ended = { offerExpiresAt: null, endedAt: now };
    Object.assign(this, { status: 'accepted', bookingId, ...ended, updatedAt: now });
  }

  end(status: 'expired' | 'withdrawn', endReason: WaitingEndReason, now: Date): void {
    this.assertOpen(status);
    Object.assign(this, { status, endReason, endedAt: now, ...NO_OFFER, updatedAt: now });
  }

  /** The person waits no longer; nothing in the entry names it. */
  eraseCustomer(now: Date): void {
    Object.assign(this, { customerId: null, note: null, updatedAt: now });
  }

  isOpen(): boolean {
    return this.status === 'waiting' || this.status === 'offered';
  }

  private assertOpen(to: WaitingStatus = this.status): void {
    if (!this.isOpen()) throw this.invalidTransition(to, []);
  }

  private invalidTransition(to: WaitingStatus, allowed: WaitingStatus[]): AppError {
    return conflict('invalid_transition', `The entry is ${this.status}`, { from: this.status, to, allowed });
  }
}

const NO_OFFER = { offeredDepartureId: null, offeredAt: null, offerExpiresAt: null };
