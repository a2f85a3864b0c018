import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import type { CreateBookingItem } from './bookings/booking-item.dto.js';
import { BookingItemsService } from './bookings/booking-items.service.js';
import type { CreateBooking } from './bookings/booking.dto.js';
import { BookingsService } from './bookings/bookings.service.js';

interface DemoBooking {
  /** Of its demo id. */
  row: number;
  /** Of its first item's demo id; the others follow. */
  firstItem: number;
  booking: Omit<CreateBooking, 'currency'>;
  items: readonly CreateBookingItem[];
  /** How far it gets; a draft unless given. `called_off`: confirmed, then cancelled. */
  becomes?: 'confirmed' | 'cancelled' | 'called_off';
  /** Of the demo id of an item that is cancelled at the end. */
  cancelledItem?: number;
}

function seats(title: string, serviceDate: string, over: Partial<CreateBookingItem> = {}): CreateBookingItem {
  return {
    type: 'unit',
    title,
    quantity: 2,
    unitSellCents: 59_500,
    taxIncludedCents: 19_000,
    costCents: 80_000,
    costCurrency: 'EUR',
    serviceDate,
    ...over,
  };
}

const DAY_TRIP: CreateBookingItem = { type: 'unit', title: 'Day trip', unitSellCents: 12_000 };

/**
 * The rows that the examples of bookings and items name: booking 1 with items 1 to 3 to be read; 2 to be changed, 3 to be
 * confirmed, 4 to be cancelled; 5 gets an item, and its items 6 and 7 are changed and cancelled.
 */
const examples = (departure: string, end: string): readonly DemoBooking[] => [
  {
    row: 1,
    firstItem: 1,
    becomes: 'confirmed',
    booking: {
      number: 'DEMO-ALPS-1',
      customerName: 'Ada Lovelace',
      customerEmail: 'ada@example.com',
      startDate: departure,
      endDate: end,
      channelId: demoId('chan', 2),
      notes: 'Vegetarian',
    },
    items: [
      seats('Alpine crossing', departure),
      { type: 'fee', title: 'Visa fee', unitSellCents: 8_000, pricingTreatment: 'pass_through' },
      { type: 'discount', title: 'Early bird', unitSellCents: -5_000, serviceDate: departure },
    ],
  },
  { row: 2, firstItem: 4, booking: { number: 'DEMO-LAKE-2', customerName: 'Grace Hopper' }, items: [] },
  {
    row: 3,
    firstItem: 4,
    booking: { number: 'DEMO-LAKE-3', customerName: 'Alan Turing', startDate: departure },
    items: [seats('Lake cruise', departure)],
  },
  {
    row: 4,
    firstItem: 5,
    becomes: 'confirmed',
    booking: { number: 'DEMO-LAKE-4', customerName: 'Edsger Dijkstra' },
    items: [seats('Lake cruise', departure)],
  },
  {
    row: 5,
    firstItem: 6,
    booking: { number: 'DEMO-CITY-5', customerName: 'Barbara Liskov', startDate: departure },
    items: [seats('City tour', departure), seats('Museum pass', end, { type: 'extra' })],
  },
];

/**
 * 10 to 19 confirmed, 20 to 29 drafts, each with an item of the same number: for the examples of finance. 28 and 29 are of
 * one customer.
 */
const forFinance = (departure: string): readonly DemoBooking[] =>
  Array.from({ length: 20 }, (_, index) => {
    const row = index + 10;
    return {
      row,
      firstItem: row,
      ...(row < 20 ? { becomes: 'confirmed' } : {}),
      booking: {
        number: `DEMO-ROUND-${row}`,
        ...(row < 28
          ? { customerName: `Traveller ${row}` }
          : { customerName: 'Katherine Johnson', customerEmail: 'katherine@example.com' }),
        startDate: departure,
      },
      items: [seats('Round trip', departure)],
    };
  });

/** For the examples of cancellations: 40 and 41 have a settlement, 42 is to be reinstated, as is item 144 of 43. */
const cancelled = (departure: string): readonly DemoBooking[] => [
  ...[40, 41, 42].map((row) => ({
    row,
    firstItem: row + 100,
    becomes: 'called_off' as const,
    booking: { number: `DEMO-OFF-${row}`, customerName: `Traveller ${row}` },
    items: [seats('Lake cruise', departure)],
  })),
  {
    row: 43,
    firstItem: 143,
    becomes: 'confirmed',
    booking: { number: 'DEMO-LESS-43', customerName: 'Hedy Lamarr' },
    items: [seats('Lake cruise', departure), seats('Museum pass', departure, { type: 'extra' })],
    cancelledItem: 144,
  },
];

/** All depart in half a year, except 6 (completed), 7 (in progress) and 8 (cancelled). */
function demoBookings(today: string): readonly DemoBooking[] {
  const departure = daysFrom(today, 180);
  const trip = (row: number, number: string, customerName: string) => ({
    row,
    firstItem: row + 100,
    booking: { number, customerName },
  });
  const [over, now] = [
    { ...DAY_TRIP, serviceDate: daysFrom(today, -30) },
    { ...DAY_TRIP, serviceDate: today },
  ];
  return [
    ...examples(departure, daysFrom(departure, 4)),
    { ...trip(6, 'DEMO-PAST-6', 'Emmy Noether'), items: [over], becomes: 'confirmed' },
    { ...trip(7, 'DEMO-NOW-7', 'Sofia Kovalevskaya'), items: [now], becomes: 'confirmed' },
    { ...trip(8, 'DEMO-OFF-8', 'Kurt Gödel'), items: [DAY_TRIP], becomes: 'cancelled' },
    {
      row: 9,
      firstItem: 8,
      booking: { number: 'DEMO-SEAT-9', customerName: 'Mary Somerville', channelId: demoId('chan', 2) },
      items: [
        seats('Alpine crossing', departure, { departureId: demoId('dep', 4), allotmentId: demoId('alot', 1) }),
        seats('Alpine crossing', departure, {
          departureId: demoId('dep', 4),
          quantity: 1,
          costCents: null,
          costCurrency: null,
        }),
      ],
      becomes: 'confirmed',
    },
    ...forFinance(departure),
    ...cancelled(departure),
  ];
}

@Injectable()
export class BookingsDemo {
  constructor(
    private readonly bookings: BookingsService,
    private readonly items: BookingItemsService,
    private readonly clock: Clock,
  ) {}

  @DemoData(450, 'bookings')
  async load(): Promise<void> {
    for (const { row, firstItem, booking, items, becomes, cancelledItem } of demoBookings(this.clock.today())) {
      const { id } = await this.bookings.create({ ...booking, currency: 'EUR' }, demoId('book', row));
      for (const [index, item] of items.entries()) {
        await this.items.add(id, item, { id: demoId('bkit', firstItem + index) });
      }
      if (becomes === 'confirmed' || becomes === 'called_off') await this.bookings.confirm(id, null);
      if (becomes === 'cancelled' || becomes === 'called_off') {
        await this.bookings.cancel(id, { reason: 'Called off' }, null);
      }
      if (cancelledItem !== undefined) {
        const itemId = demoId('bkit', cancelledItem);
        await this.items.cancel({ bookingId: id, itemId, expected: null }, { reason: 'One traveller less' });
      }
    }
    await this.bookings.progressByDate();
  }
}

function daysFrom(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
