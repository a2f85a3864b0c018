import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Personal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { Derived, Unaudited } from '../../../platform/database/unaudited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import type { Columns } from '../../../platform/database/rows.js';
import { conflict, invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { CustomerCopy } from '../../customers/index.js';
import type { Terms, TermsLine } from '../../legal/index.js';
import type { AgencyConditions } from '../agencies/agency-terms.entity.js';
import type { PaymentPolicy } from '../payment-policies/payment-policy.js';
import type { ItemType } from '../items/booking-item.entity.js';

export const BOOKING_STATUSES = named('BookingStatus', ['draft', 'confirmed', 'in_progress', 'completed', 'cancelled']);
export type BookingStatus = (typeof BOOKING_STATUSES)[number];

/** Transitions by staff. A job sets `in_progress` and `completed` from the booking's dates. */
const TRANSITIONS: Record<BookingStatus, readonly BookingStatus[]> = {
  draft: ['confirmed', 'cancelled'],
  confirmed: ['cancelled'],
  in_progress: ['cancelled'],
  completed: [],
  cancelled: [],
};

const CLOSED: readonly BookingStatus[] = ['completed', 'cancelled'];

/** Items that are charged after the trip. */
const CHARGES: readonly ItemType[] = ['extra', 'fee', 'adjustment'];

/** Fields that can still be corrected on a closed booking. */
const OPEN_WHEN_CLOSED = [
  'customerId',
  'customerName',
  'customerEmail',
  'customerPhone',
  'customerLanguage',
  'customerAddress',
  'notes',
];

/** The members that are copies of the customer record, with the member of the record. */
export const COPIES = [
  ['customerName', 'name'],
  ['customerEmail', 'email'],
  ['customerPhone', 'phone'],
  ['customerLanguage', 'language'],
  ['customerAddress', 'address'],
] as const;
export type CopiedMember = (typeof COPIES)[number][0];

export interface BookingChanges {
  number?: string;
  currency?: string;
  customerId?: string | null;
  customerName?: string;
  customerEmail?: string | null;
  customerPhone?: string | null;
  customerLanguage?: string | null;
  customerAddress?: string | null;
  startDate?: string | null;
  endDate?: string | null;
  notes?: string | null;
  paymentPolicy?: PaymentPolicy | null;
  channelId?: string | null;
}

/** A booking as responses show it: its columns, and what other modules know of it. */
export type BookingView = Columns<Booking> & {
  isCancellingAtSupplier: boolean;
  /** An item's tax rate differs from the rate on its service date. */
  isTaxRateChanged: boolean;
  /** An open installment is due after the departure. */
  isDueAfterDeparture: boolean;
  /** The trip that became the booking. */
  tripId: string | null;
};

/** The present time, and the organization's calendar day. */
export interface Moment {
  now: Date;
  today: string;
}

/** The first and the last day of the services of items that are not cancelled; null if none of them has a date. */
export interface ServiceDays {
  first: string | null;
  last: string | null;
}

/** A customer's order of travel services, in one currency. Every change of it or of its items locks its row. */
@Entity('bookings')
export class Booking extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text') number: string;
  @Column('text') status: BookingStatus;
  @Column('text') currency: string;
  /** Sum of the active items; null until there is an item. */
  @Column('bigint', { name: 'total_cents', nullable: true, transformer: safeInteger }) totalCents: number | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'customer_name' })
  customerName: string;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'customer_email', nullable: true })
  customerEmail: string | null;
  /** The customer record; the other members of the customer are copies, which documents show. */
  @Column('text', { name: 'customer_id', nullable: true }) customerId: string | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'customer_phone', nullable: true })
  customerPhone: string | null;
  @Column('text', { name: 'customer_language', nullable: true }) customerLanguage: string | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'customer_address', nullable: true })
  customerAddress: string | null;
  @Column('date', { name: 'start_date', nullable: true }) startDate: string | null;
  @Column('date', { name: 'end_date', nullable: true }) endDate: string | null;
  /** The first service date of its active items, otherwise its start date. */
  @Derived('the dates of the items, `startDate`')
  @Column('date', { name: 'departure_date', nullable: true })
  departureDate: string | null;
  /** The last local day of its active items, including the end of their departures; otherwise its end date. */
  @Derived('the dates of the items, `endDate`')
  @Column('date', { name: 'return_date', nullable: true })
  returnDate: string | null;
  /** The day on which it was imported from an earlier system, which had confirmed it to the customer. */
  @Column('date', { name: 'taken_over_on', nullable: true }) takenOverOn: string | null;
  @Personal('contract')
  @Unaudited('free text that may contain personal data')
  @Column('text', { nullable: true })
  notes: string | null;
  /** Replaces the organization's policy. */
  @Column('jsonb', { name: 'payment_policy', nullable: true }) paymentPolicy: PaymentPolicy | null;
  @Column('text', { name: 'channel_id', nullable: true }) channelId: string | null;
  @Column('timestamptz', { name: 'confirmed_at', nullable: true }) confirmedAt: Date | null;
  @Column('timestamptz', { name: 'cancelled_at', nullable: true }) cancelledAt: Date | null;
  /** The local days of the confirmation and the cancellation, which do not change with the time zone. */
  @Column('date', { name: 'confirmed_on', nullable: true }) confirmedOn: string | null;
  @Column('date', { name: 'cancelled_on', nullable: true }) cancelledOn: string | null;
  /** The day on which the customer declared the cancellationif it was recorded later. */
  @Column('date', { name: 'cancellation_declared_on', nullable: true }) cancellationDeclaredOn: string | null;
  @Personal('contract')
  @Unaudited('free text; the reason of the entry')
  @Column('text', { name: 'cancel_reason', nullable: true })
  cancelReason: string | null;
  /** The terms of its confirmation; they never change. */
  @Unaudited('written once; `termsSha256` proves it')
  @Column('jsonb', { nullable: true })
  terms: TermsLine[] | null;
  @Column('text', { name: 'terms_sha256', nullable: true }) termsSha256: string | null;
  /** The time at which the customer and the free texts were replaced, because the retention period had passed. */
  @Unaudited('the retention job records its own entry')
  @Column('timestamptz', { name: 'erased_at', nullable: true })
  erasedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: BookingChanges, now: Date): void {
    const lockedFields = Object.keys(changes).filter((field) => !OPEN_WHEN_CLOSED.includes(field));
    if (this.isClosed() && lockedFields.length > 0) {
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

  copiedMembers(): CopiedMember[] {
    return COPIES.map(([member]) => member);
  }

  /** Copies these members of the customer. */
  followCustomer(copy: CustomerCopy, members: readonly CopiedMember[], now: Date): void {
    for (const [member, source] of COPIES) {
      if (members.includes(member)) Object.assign(this, { [member]: copy[source], updatedAt: now });
    }
  }

  /** Call this after each change of the dates of the booking, its items or their departures. */
  travelOn({ first, last }: ServiceDays): void {
    this.departureDate = first ?? this.startDate;
    this.returnDate = last ?? this.endDate;
  }

  /** Takes over what the booking does not name itself. */
  copyCustomer(copy: CustomerCopy, given: Pick<BookingChanges, CopiedMember>): void {
    for (const [member, source] of COPIES) {
      if (given[member] === undefined) Object.assign(this, { [member]: copy[source] });
    }
  }

  /** Takes over what a new booking does not name itself. */
  takeTerms(
    { channelId, paymentPolicy }: AgencyConditions,
    given: { channelId?: string | null; paymentPolicy?: object | null },
  ): void {
    if (given.channelId === undefined) this.channelId = channelId;
    if (given.paymentPolicy === undefined) this.paymentPolicy = paymentPolicy;
  }

  assertDates(): void {
    if (this.startDate === null || this.endDate === null || this.endDate >= this.startDate) return;
    throw invalidField('endDate', 'endDate must not be before startDate', 'end_before_start');
  }

  isClosed(): boolean {
    return CLOSED.includes(this.status);
  }

  assertItemsOpen(): void {
    if (!this.isClosed()) return;
    throw conflict('booking_closed', `Items cannot be changed while the booking is ${this.status}`, {
      status: this.status,
    });
  }

  assertNotCancelled(): void {
    if (this.status === 'cancelled')
      throw conflict('booking_closed', 'The booking is cancelled', { status: this.status });
  }

  /** Whether the booking takes charges that became known after the trip, such as damage or an extra used on the way. */
  isCharged(type: ItemType): boolean {
    return this.status === 'completed' && CHARGES.includes(type);
  }

  /** Adds the price of an item, or the difference of a changed price; the total stays within 0 and 2^53-1. */
  addToTotal(cents: number, now: Date): void {
    const totalCents = (this.totalCents ?? 0) + cents;
    if (totalCents < 0) {
      throw unprocessable('negative_total', 'Booking total would be negative', { field: 'unitSellCents', totalCents });
    }
    if (!Number.isSafeInteger(totalCents)) {
      throw invalidField('unitSellCents', 'Booking total would exceed 2^53-1', 'amount_too_large');
    }
    Object.assign(this, { totalCents, updatedAt: now });
  }

  confirm(liveItems: number, { now, today }: Moment): void {
    this.assertTransition('confirmed');
    if (liveItems === 0) throw conflict('booking_not_priced', 'The booking has no active items');
    Object.assign(this, { status: 'confirmed', confirmedAt: now, confirmedOn: today, updatedAt: now });
  }

  /** Stores the terms of the confirmation. */
  agreeTo({ lines, sha256 }: Terms): void {
    Object.assign(this, { terms: lines, termsSha256: sha256 });
  }

  /** All items are cancelled with the booking, so its total is 0. */
  cancel(cancelReason: string, { declaredOn, now, today }: Moment & { declaredOn: string }): void {
    this.assertTransition('cancelled');
    const totalCents = this.totalCents === null ? null : 0;
    const cancelled = { status: 'cancelled', cancelledAt: now, cancelledOn: today, cancelReason } as const;
    const cancellationDeclaredOn = declaredOn === today ? null : declaredOn;
    Object.assign(this, cancelled, { cancellationDeclaredOn, totalCents, updatedAt: now });
  }

  /** Reverses a cancellation: a booking that was confirmed before is confirmed again, any other becomes a draft. */
  reinstate(now: Date): void {
    if (this.status !== 'cancelled') {
      const details = { from: this.status, to: 'confirmed', allowed: TRANSITIONS[this.status] };
      throw conflict('invalid_transition', `A booking that is ${this.status} cannot be reinstated`, details);
    }
    const status = this.confirmedAt === null ? 'draft' : 'confirmed';
    const none = { cancelledAt: null, cancelledOn: null, cancellationDeclaredOn: null, cancelReason: null };
    Object.assign(this, { status, ...none, updatedAt: now });
  }

  private assertTransition(to: BookingStatus): void {
    if (TRANSITIONS[this.status].includes(to)) return;
    throw conflict('invalid_transition', `A booking cannot go from ${this.status} to ${to}`, {
      from: this.status,
      to,
      allowed: TRANSITIONS[this.status],
    });
  }
}
