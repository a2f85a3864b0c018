import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { type DepartureSummary, DeparturesService } from '../operations/index.js';
import type { CreateBookingItem } from './items/booking-item.dto.js';
import { BookingItemsService } from './bookings/booking-items.service.js';
import type { CreateBooking } from './bookings/booking.dto.js';
import { BookingsService } from './bookings/bookings.service.js';
import { AnswersService } from './answers/answers.service.js';
import type { CreateTraveler } from './travelers/traveler.dto.js';
import { newVoucherCode } from './vouchers/voucher-code.js';
import { VouchersService } from './vouchers/vouchers.service.js';
import { TravelersService } from './travelers/travelers.service.js';

interface DemoBooking {
  /** Number of its demo id. */
  row: number;
  /** Number of its first item's demo id; the others follow. */
  firstItem: number;
  booking: Omit<CreateBooking, 'currency'>;
  items: readonly CreateBookingItem[];
  /** Final status; a draft unless given. `called_off` means confirmed, then cancelled. */
  becomes?: 'confirmed' | 'cancelled' | 'called_off';
  /** Number of the demo id of an item that is cancelled at the end. */
  cancelledItem?: number;
}

/** Tours that bookings sell, by the demo id of the departure. Each departs in half a year, except `soon`. */
interface Sold {
  soon: Tour;
  alps: Tour;
  lake: Tour;
  vienna: Tour;
  transylvania: Tour;
  calledOff: Tour;
}

interface Tour {
  title: string;
  departure: DepartureSummary;
}

const TOURS: Readonly<Record<keyof Sold, readonly [title: string, departure: number]>> = {
  soon: ['Alpine crossing', 4],
  alps: ['Alpine crossing', 9],
  lake: ['Lake Constance cruise', 10],
  vienna: ['Vienna museums and music', 11],
  transylvania: ['Transylvania round trip', 12],
  calledOff: ['Vienna museums and music', 18],
};

const SEATS = 2;

/** Two seats at the price of the departure. */
function seats({ title, departure }: Tour, over: Partial<CreateBookingItem> = {}): CreateBookingItem {
  return {
    type: 'unit',
    title,
    quantity: SEATS,
    unitSellCents: departure.priceCents,
    taxIncludedCents: SEATS * departure.taxIncludedCents,
    costCents: 80_000,
    costCurrency: 'EUR',
    departureId: departure.id,
    ...over,
  };
}

function museumPass(serviceDate: string): CreateBookingItem {
  return {
    type: 'extra',
    title: 'Museum pass',
    quantity: SEATS,
    unitSellCents: 3_900,
    taxIncludedCents: 1_245,
    costCents: 5_000,
    costCurrency: 'EUR',
    serviceDate,
  };
}

const DAY_TRIP: CreateBookingItem = {
  type: 'unit',
  title: 'Danube Delta by boat',
  quantity: SEATS,
  unitSellCents: 5_900,
  taxIncludedCents: 1_884,
};

/**
 * The rows that the examples of bookings and items name: examples read booking 1 with items 1 to 3, change 2, confirm 3, cancel
 * 4, add an item to 5, and change and cancel its items 6 and 7.
 */
const examples = ({ alps, lake, vienna }: Sold): readonly DemoBooking[] => [
  {
    row: 1,
    firstItem: 1,
    becomes: 'confirmed',
    booking: {
      number: 'DEMO-ALPS-1',
      customerName: 'Ada Lovelace',
      customerEmail: 'ada@example.com',
      ...datesOf(alps),
      channelId: demoId('chan', 2),
      notes: 'Vegetarian',
    },
    items: [
      seats(alps),
      { type: 'fee', title: 'Tourist tax', unitSellCents: 8_000, pricingTreatment: 'pass_through' },
      { type: 'discount', title: 'Early bird', unitSellCents: -5_000, serviceDate: alps.departure.startDate },
    ],
  },
  { row: 2, firstItem: 4, booking: { number: 'DEMO-LAKE-2', customerName: 'Grace Hopper' }, items: [] },
  {
    row: 3,
    firstItem: 4,
    booking: { number: 'DEMO-LAKE-3', customerName: 'Alan Turing', ...datesOf(lake) },
    items: [seats(lake)],
  },
  {
    row: 4,
    firstItem: 5,
    becomes: 'confirmed',
    booking: { number: 'DEMO-LAKE-4', customerName: 'Edsger Dijkstra', ...datesOf(lake) },
    items: [seats(lake)],
  },
  {
    row: 5,
    firstItem: 6,
    booking: { number: 'DEMO-CITY-5', customerName: 'Barbara Liskov', ...datesOf(vienna) },
    items: [seats(vienna), museumPass(daysFrom(vienna.departure.startDate, 1))],
  },
];

/** Customers of the bookings 10 to 27, then of 40 to 42. */
const CUSTOMERS = [
  ...['Sophie Germain', 'Carl Gauss', 'Maria Agnesi', 'Leonhard Euler', 'Ruth Moufang', 'Niels Abel', 'Rózsa Péter'],
  ...['Evariste Galois', 'Julia Robinson', 'Paul Erdős', 'Olga Taussky', 'Henri Cartan', 'Mary Cartwright'],
  ...['Felix Klein', 'Hanna Neumann', 'Georg Cantor', 'Marjorie Browne', 'Emil Artin', 'Cora Sadosky'],
  ...['Stefan Banach', 'Inge Lehmann'],
];

/**
 * Bookings 10 to 19 are confirmed and 20 to 29 drafts, each with an item of the same number, for the examples of finance. 18 has the
 * address to which the examples send documents; 28 and 29 belong to one customer.
 */
const forFinance = ({ transylvania }: Sold): readonly DemoBooking[] =>
  Array.from({ length: 20 }, (_, index) => {
    const row = index + 10;
    return {
      row,
      firstItem: row,
      ...(row < 20 ? { becomes: 'confirmed' } : {}),
      booking: {
        number: `DEMO-ROUND-${row}`,
        ...(row < 28
          ? { customerName: CUSTOMERS[index] ?? '', ...(row === 18 && { customerEmail: 'round18@example.com' }) }
          : { customerName: 'Katherine Johnson', customerEmail: 'katherine@example.com' }),
        ...datesOf(transylvania),
      },
      items: [seats(transylvania)],
    };
  });

/**
 * The examples of cancellations use these bookings: 40 and 41 have a settlement, 42 can be reinstated, as can item 144 of 43.
 */
const cancelled = ({ lake }: Sold): readonly DemoBooking[] => [
  ...[40, 41, 42].map((row) => ({
    row,
    firstItem: row + 100,
    becomes: 'called_off' as const,
    booking: { number: `DEMO-OFF-${row}`, customerName: CUSTOMERS.at(row - 43) ?? '', ...datesOf(lake) },
    items: [seats(lake)],
  })),
  {
    row: 43,
    firstItem: 143,
    becomes: 'confirmed',
    booking: { number: 'DEMO-LESS-43', customerName: 'Hedy Lamarr', ...datesOf(lake) },
    items: [seats(lake), museumPass(lake.departure.startDate)],
    cancelledItem: 144,
  },
];

/** The demo data of the desk calls their departure off. */
const onCalledOff = ({ calledOff }: Sold): readonly DemoBooking[] =>
  ['Lise Meitner', 'Chien-Shiung Wu', 'Vera Rubin'].map((customerName, index) => ({
    row: index + 44,
    firstItem: index + 145,
    becomes: 'confirmed' as const,
    booking: { number: `DEMO-FOG-${index + 44}`, customerName, ...datesOf(calledOff) },
    items: [seats(calledOff)],
  }));

/** All bookings depart in half a year, except 6 (completed), 7 (in progress), 8 (cancelled), 9 and 44 to 46 (earlier). */
function demoBookings(today: string, sold: Sold): readonly DemoBooking[] {
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
    ...examples(sold),
    { ...trip(6, 'DEMO-PAST-6', 'Emmy Noether'), items: [over], becomes: 'confirmed' },
    { ...trip(7, 'DEMO-NOW-7', 'Sofia Kovalevskaya'), items: [now], becomes: 'confirmed' },
    { ...trip(8, 'DEMO-OFF-8', 'Kurt Gödel'), items: [DAY_TRIP], becomes: 'cancelled' },
    {
      row: 9,
      firstItem: 8,
      booking: {
        number: 'DEMO-SEAT-9',
        customerName: 'Mary Somerville',
        channelId: demoId('chan', 2),
        ...datesOf(sold.soon),
      },
      items: [
        seats(sold.soon, { allotmentId: demoId('alot', 1) }),
        seats(sold.soon, {
          quantity: 1,
          taxIncludedCents: sold.soon.departure.taxIncludedCents,
          costCents: null,
          costCurrency: null,
        }),
      ],
      becomes: 'confirmed',
    },
    ...forFinance(sold),
    ...cancelled(sold),
    ...onCalledOff(sold),
  ];
}

function datesOf({ departure }: Tour): { startDate: string; endDate: string } {
  return { startDate: departure.startDate, endDate: departure.endsAt.toISOString().slice(0, 10) };
}

/** The travelers of booking 1: examples read 1, change 2 and delete 3. */
const TRAVELERS: readonly CreateTraveler[] = [
  {
    firstName: 'Ada',
    lastName: 'Lovelace',
    birthDate: '1985-12-10',
    nationality: 'GB',
    language: 'en',
    phone: '+44 20 7946 0018',
    email: 'ada@example.com',
    emergencyContact: { name: 'William King', phone: '+44 20 7946 0021' },
    document: { type: 'passport', number: '512345678', issuingCountry: 'GB', expiresOn: '2034-08-31' },
    dietary: ['vegetarian'],
    healthDataConsent: { source: 'booking form', textVersion: '2026-03' },
  },
  { firstName: 'Charles', lastName: 'Babbage', birthDate: '1981-12-26' },
  {},
];

/** The bookings and items with vouchers: examples read 1, void 2, reinstate 3, redeem 4 and delete the redemption of 5. */
const VOUCHERS = [
  { booking: 6, item: 106 },
  { booking: 7, item: 107 },
  { booking: 43, item: 143 },
  { booking: 18, item: 18 },
  { booking: 19, item: 19 },
] as const;

@Injectable()
export class BookingsDemo {
  constructor(
    private readonly bookings: BookingsService,
    private readonly items: BookingItemsService,
    private readonly travelers: TravelersService,
    private readonly answers: AnswersService,
    private readonly departures: DeparturesService,
    private readonly vouchers: VouchersService,
    private readonly clock: Clock,
  ) {}

  @DemoData(450, 'bookings')
  async load(): Promise<void> {
    for (const { row, firstItem, booking, items, becomes, cancelledItem } of await this.rows()) {
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
    const [bookingId, itemId] = [demoId('book', 1), demoId('bkit', 1)];
    for (const [index, traveler] of TRAVELERS.entries()) {
      await this.travelers.create(bookingId, traveler, demoId('trav', index + 1));
    }
    await this.travelers.assign({ bookingId, itemId, expected: null }, [demoId('trav', 1), demoId('trav', 2)]);
    const answer = { questionId: demoId('pqst', 5), travelerId: demoId('trav', 1), values: ['39'] };
    await this.answers.replace({ bookingId, expected: null }, [answer], () => demoId('pans', 1));
    await this.bookings.progressByDate();
    await this.loadVouchers();
  }

  private async loadVouchers(): Promise<void> {
    const pathOf = (number: number, booking: number) => {
      return { bookingId: demoId('book', booking), voucherId: demoId('vchr', number), expected: null };
    };
    for (const [index, { booking, item }] of VOUCHERS.entries()) {
      const { bookingId, voucherId } = pathOf(index + 1, booking);
      const code = newVoucherCode(String(index + 1).padStart(12, '0'));
      await this.vouchers.issue(bookingId, [demoId('bkit', item)], { id: voucherId, code });
      if (index + 1 === 5) await this.vouchers.redeem(code, null);
    }
    await this.vouchers.void(pathOf(3, 43), 'The printed voucher is lost');
  }

  private async rows(): Promise<readonly DemoBooking[]> {
    const tour = async (name: keyof Sold): Promise<Tour> => {
      const [title, number] = TOURS[name];
      return { title, departure: await this.departures.getSummary(demoId('dep', number)) };
    };
    const [soon, alps, calledOff] = [await tour('soon'), await tour('alps'), await tour('calledOff')];
    const [lake, vienna, transylvania] = [await tour('lake'), await tour('vienna'), await tour('transylvania')];
    return demoBookings(this.clock.today(), { soon, alps, lake, vienna, transylvania, calledOff });
  }
}

function daysFrom(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
