import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { BookingItem } from '../items/booking-item.entity.js';
import type { Booking } from './booking.entity.js';

const BOOKING_EVENTS = {
  create: 'created',
  update: 'updated',
  confirm: 'confirmed',
  start: 'started',
  complete: 'completed',
  cancel: 'cancelled',
} as const;
const ITEM_EVENTS = { create: 'created', update: 'updated', cancel: 'cancelled' } as const;

interface Images {
  before: object | null;
  after: object;
  reason?: string | null;
}

/** What is recorded and told of bookings: the ledger without the customer's name and address, the events without more than figures. */
@Injectable()
export class BookingJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  booking(verb: keyof typeof BOOKING_EVENTS, booking: Told, images: Images): void {
    this.ledger.record(`bookings.booking.${verb}`, { subjectType: 'booking', subjectId: booking.id, ...images });
    const { id: bookingId, number, status, currency, totalCents, version } = booking;
    const data = { bookingId, number, status, currency, totalCents, version };
    this.tell(bookingId, `booking.${BOOKING_EVENTS[verb]}`, data);
  }

  item(verb: keyof typeof ITEM_EVENTS, item: BookingItem, { before, reason }: Omit<Images, 'after'>): void {
    const images = { before, after: imageOfItem(item), reason: reason ?? null };
    this.ledger.record(`bookings.booking_item.${verb}`, { subjectType: 'booking_item', subjectId: item.id, ...images });
    const { id: bookingItemId, bookingId, type, status, quantity, totalSellCents, version } = item;
    const data = { bookingId, bookingItemId, type, status, quantity, totalSellCents, version };
    this.tell(bookingId, `booking_item.${ITEM_EVENTS[verb]}`, data);
  }

  /** To whoever watches this booking, and to whoever watches all of them. */
  private tell(bookingId: string, event: string, data: Record<string, unknown>): void {
    for (const channel of [`bookings.${bookingId}`, 'bookings']) this.outbox.add({ channel, event, data });
  }
}

type Told = Pick<Booking, 'id' | 'number' | 'status' | 'currency' | 'totalCents' | 'version'>;

export function imageOfBooking(booking: Booking): object {
  return {
    id: booking.id,
    number: booking.number,
    status: booking.status,
    currency: booking.currency,
    totalCents: booking.totalCents,
    startDate: booking.startDate,
    endDate: booking.endDate,
    paymentPolicy: booking.paymentPolicy,
    channelId: booking.channelId,
    termsSha256: booking.termsSha256,
    version: booking.version,
  };
}

export function imageOfItem(item: BookingItem): object {
  return {
    id: item.id,
    bookingId: item.bookingId,
    type: item.type,
    title: item.title,
    status: item.status,
    quantity: item.quantity,
    unitSellCents: item.unitSellCents,
    totalSellCents: item.totalSellCents,
    taxIncludedCents: item.taxIncludedCents,
    costCents: item.costCents,
    costCurrency: item.costCurrency,
    pricingTreatment: item.pricingTreatment,
    serviceDate: item.serviceDate,
    departureId: item.departureId,
    allotmentId: item.allotmentId,
    version: item.version,
  };
}
