import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { demoId } from '../../../platform/ids/id.js';
import { DemoSeason } from '../../../platform/provisioning/provisioning-decorators.js';
import { daysAfter } from '../../../platform/time/calendar.js';
import {
  type AddBookingItems,
  BookingsService,
  type CreateTraveler,
  TravelersService,
  UnitSalesService,
} from '../../bookings/index.js';
import { CustomersService } from '../../customers/index.js';
import { InvoicesService, PaymentsService } from '../../finance/index.js';
import {
  bookingOf,
  BOOKINGS,
  customerOf,
  CUSTOMERS,
  departureOf,
  invoiceOf,
  PRICE_LIST,
  type SeasonBooking,
  tourOf,
  TOURS,
  travelerOf,
  unitOf,
} from './season-plan.js';

/** A reseller of the demo data. */
const RESELLER = demoId('chan', 2);
const PERCENT_PAID_IN_PART = 30;
const DAYS_OF_YEAR = 365.2425;
/** Some bookings are entered after the cut-off or the start of their departure. */
const ENTERED_LATE: Pick<AddBookingItems, 'override' | 'overrideReason'> = {
  override: ['cutoff', 'past'],
  overrideReason: 'Booked by telephone before sales ended',
};
const CONSENT = { source: 'booking form', textVersion: '2026-03' };

/** The customers of the demo season with their bookings, travelers, invoices and payments. */
@Injectable()
export class SeasonSalesDemo {
  constructor(
    private readonly customers: CustomersService,
    private readonly bookings: BookingsService,
    private readonly sales: UnitSalesService,
    private readonly travelers: TravelersService,
    private readonly invoices: InvoicesService,
    private readonly payments: PaymentsService,
    private readonly clock: Clock,
  ) {}

  @DemoSeason(30, 'customers and bookings')
  async loadBookings(): Promise<void> {
    for (const [index, customer] of CUSTOMERS.entries()) await this.customers.create(customer, customerOf(index));
    for (const [index, booking] of BOOKINGS.entries()) {
      const id = bookingOf(index);
      await this.book(id, booking, await this.travelersOf(index, booking));
      if (booking.ends !== 'draft') await this.bookings.confirm(id, null);
      if (booking.ends === 'cancelled') await this.bookings.cancel(id, { reason: 'Found no flight' }, null);
      await this.pay({ bookingId: id, invoiceId: invoiceOf(index) }, booking);
    }
    await this.bookings.progressByDate();
  }

  private async book(id: string, booking: SeasonBooking, seated: readonly string[][]): Promise<void> {
    const tour = tourOf(booking.departure);
    const units = booking.units.flatMap((quantity, position) =>
      quantity > 0 ? [{ unitId: unitOf(tour, position), quantity, travelerIds: seated[position] ?? [] }] : [],
    );
    await this.sales.add(id, { departureId: departureOf(booking.departure), units, ...ENTERED_LATE });
  }

  /** Creates the booking with its named travelers, and returns their ids by the position of their unit. */
  private async travelersOf(index: number, booking: SeasonBooking): Promise<string[][]> {
    const { customer, age, companions = [], dietary, notes, viaReseller } = booking;
    const bookingId = bookingOf(index);
    await this.bookings.create(
      {
        ...{ currency: PRICE_LIST.currency, customerId: customerOf(customer), notes },
        ...(viaReseller ? { channelId: RESELLER } : {}),
      },
      bookingId,
    );
    const { kind = 'person', firstName, lastName } = CUSTOMERS[customer] ?? {};
    if (kind === 'company') return [];
    const lead: CreateTraveler & { age?: number } = {
      ...{ customerId: customerOf(customer), firstName, lastName, age },
      ...(dietary ? { dietary: [...dietary], healthDataConsent: CONSENT } : {}),
    };
    const others = companions.map(([first, last, years]) => ({ firstName: first, lastName: last, age: years }));
    const minAge = TOURS[tourOf(booking.departure)].units[0]?.minAge ?? 0;
    const seated: string[][] = [[], []];
    for (const [position, { age: years, ...traveler }] of [lead, ...others].entries()) {
      const travelerId = travelerOf(index, position);
      const birthDate = years === undefined ? undefined : this.birthDateOf(years);
      await this.travelers.create(bookingId, { ...traveler, birthDate }, travelerId);
      seated[years === undefined || years >= minAge ? 0 : 1]?.push(travelerId);
    }
    return seated;
  }

  /** A birth date half a year from the season, so that the age is the same on each day of it. */
  private birthDateOf(age: number): string {
    return daysAfter(this.clock.today(), -Math.round(DAYS_OF_YEAR * (age + 0.5)));
  }

  private async pay(
    { bookingId, invoiceId }: { bookingId: string; invoiceId: string },
    booking: SeasonBooking,
  ): Promise<void> {
    const { paid, paidOn = 0, units, departure } = booking;
    if (paid === 'nothing') return;
    const { cents } = TOURS[tourOf(departure)];
    const totalCents = units.reduce((sum, quantity, position) => sum + quantity * (cents[position] ?? 0), 0);
    const isPart = paid === 'in part';
    if (!isPart) {
      await this.invoices.create({ bookingId }, invoiceId);
      await this.invoices.issue(invoiceId, {}, null);
    }
    await this.payments.record({
      ...{ bookingId, currency: PRICE_LIST.currency, method: isPart ? 'bank_transfer' : 'card' },
      amountCents: isPart ? Math.round((totalCents * PERCENT_PAID_IN_PART) / 100) : totalCents,
      paidOn: daysAfter(this.clock.today(), paidOn),
    });
  }
}
