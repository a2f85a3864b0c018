import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { AppError, conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { daysAfter, daysBetween } from '../../../platform/time/calendar.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { AllotmentsService } from '../../distribution/index.js';
import { DeparturesService, type DepartureSummary } from '../../operations/index.js';
import type { Booking, BookingView } from '../bookings/booking.entity.js';
import { BookingItemsService } from '../bookings/booking-items.service.js';
import { BookingsRepository } from '../bookings/bookings.repository.js';
import { BookingsService } from '../bookings/bookings.service.js';
import { withoutField } from '../bookings/item-taxes.service.js';
import type { BookingItem, ItemType } from '../items/booking-item.entity.js';
import { TravelersService } from '../travelers/travelers.service.js';
import type { CopyBooking, OmittedItem } from './booking-copy.dto.js';
import { seatPrice, UnitSalesService } from './unit-sales.service.js';

/** They belong to what happened to the copied booking. */
const PRICE_CHANGES: readonly ItemType[] = ['fee', 'discount', 'adjustment'];

export interface BookingCopy {
  booking: BookingView;
  omitted: OmittedItem[];
}

type ItemOfDeparture = BookingItem & { departureId: string };

/** Where the items of a copy are sold. */
interface Target {
  /** The id of the new booking. */
  bookingId: string;
  /** The departure of the copy for each departure of the source. */
  departures: ReadonlyMap<string, DepartureSummary>;
  /** The number of days by which the journey moves. */
  days: number;
  /** The copies of travelers by the ids of the originals. */
  travelers: ReadonlyMap<string, string>;
}

/** Sells a booking again, as a draft at the prices of today. */
@Injectable()
export class BookingCopiesService {
  constructor(
    private readonly database: Database,
    private readonly repository: BookingsRepository,
    private readonly bookings: BookingsService,
    private readonly items: BookingItemsService,
    private readonly sales: UnitSalesService,
    private readonly travelers: TravelersService,
    private readonly departures: DeparturesService,
    private readonly allotments: AllotmentsService,
    private readonly ledger: ActionLedger,
  ) {}

  async copy(sourceId: string, { departureId = null, travelers = 'keep' }: CopyBooking): Promise<BookingCopy> {
    return this.database.transaction(async () => {
      const source = await this.repository.bookings.get(sourceId);
      const all = await this.repository.soldItems(source);
      const omitted = all.flatMap((item) => omissionOf(item, all));
      const items = all.filter(({ id }) => omitted.every(({ bookingItemId }) => bookingItemId !== id));
      const departures = await this.departuresFor(items.filter(isOnDeparture), departureId);
      const days = departureId === null ? 0 : movedDays(items, departures);
      const { id: bookingId } = await this.bookings.create(termsOf(source, days));
      const copies = travelers === 'keep' ? await this.travelers.copy(sourceId, bookingId) : new Map<string, string>();
      // Checked after the copy of the data: an erasure from now on waits, and finds the copy by its customers.
      if (await this.repository.shareErased(sourceId)) {
        throw conflict('booking_erased', 'The data of the booking was erased');
      }
      await this.departures.lock([...departures.values()].map(({ id }) => id));
      const target = { bookingId, departures, days, travelers: copies };
      await this.sellAll(items, target).catch((error: unknown) => {
        // The request has neither units nor items, so a field of them would name nothing in it.
        throw error instanceof AppError ? withoutField(error) : error;
      });
      const booking = await this.bookings.get(bookingId);
      this.ledger.record('bookings.booking.copy', {
        subjectType: 'booking',
        subjectId: bookingId,
        before: null,
        after: { sourceId, departureId, travelers, items: items.length, omitted: omitted.length },
      });
      return { booking, omitted };
    });
  }

  /** The departure of the copy for each departure of these items. */
  private async departuresFor(
    items: readonly ItemOfDeparture[],
    departureId: string | null,
  ): Promise<Map<string, DepartureSummary>> {
    const sources = [...new Set(items.map((item) => item.departureId))];
    const field = 'departureId';
    if (departureId !== null) {
      await this.departures.get(departureId, { field });
      if (sources.length === 0) throw unprocessable('departure_missing', 'The booking has no departure', { field });
      if (sources.length > 1) {
        throw unprocessable('several_departures', 'The booking has items on several departures', { field });
      }
    }
    const found = await this.departures.listSummaries(departureId === null ? sources : [departureId]);
    const [target] = found;
    if (departureId === null) return new Map(found.map((departure) => [departure.id, departure]));
    if (!target) throw new Error(`The departure ${departureId} was deleted`);
    const products = items.map(({ productId }) => productId);
    if (products.some((productId) => productId !== null && productId !== target.productId)) {
      throw unprocessable('product_mismatch', 'The departures sell different products', { field });
    }
    return new Map(sources.map((source) => [source, target]));
  }

  private async sellAll(items: readonly BookingItem[], target: Target): Promise<void> {
    for (const group of groupsOf(items.filter(isOnDeparture))) await this.sellUnits(group, target);
    for (const item of items) {
      if (item.unitId !== null || item.extraId !== null) continue;
      if (isOnDeparture(item)) await this.sellSeats(item, target);
      else await this.addService(item, target);
    }
  }

  /** Sells units and extras of one option of a departure together, because some depend on each other. */
  private async sellUnits(
    group: readonly ItemOfDeparture[],
    { bookingId, departures, travelers }: Target,
  ): Promise<void> {
    const [first] = group;
    const departure = first && departures.get(first.departureId);
    if (!departure) throw new Error('A departure of the items is missing');
    const seats = new Map<string, string[]>();
    for (const item of group.filter(({ unitId }) => unitId !== null)) {
      const seated = travelers.size === 0 ? [] : (await this.travelers.seatsOf(pathOf(item))).seats;
      seats.set(
        item.id,
        seated.flatMap(({ travelerId }) => travelers.get(travelerId) ?? []),
      );
    }
    const units = totalsBy(group, ({ unitId }) => unitId).map(({ id: unitId, quantity, items }) => {
      const travelerIds = items.flatMap(({ id }) => seats.get(id) ?? []);
      return { unitId, quantity, travelerIds };
    });
    const extras = totalsBy(group, ({ extraId }) => extraId).map(({ id: extraId, quantity }) => ({
      extraId,
      quantity,
    }));
    const { optionId, refundable, pricingTreatment } = first;
    const place = await this.placeOf(first, departure);
    await this.sales.add(bookingId, { ...{ optionId, refundable, pricingTreatment, units, extras }, ...place });
  }

  /** Sells seats of a departure whose product has no units. */
  private async sellSeats(item: ItemOfDeparture, { bookingId, departures, travelers }: Target): Promise<void> {
    const departure = departures.get(item.departureId);
    if (!departure) throw new Error(`The departure ${item.departureId} is missing`);
    const { type, title, quantity, refundable, pricingTreatment } = item;
    const place = await this.placeOf(item, departure);
    const price = seatPrice(departure, quantity);
    const sold = await this.items.add(bookingId, {
      type,
      title,
      quantity,
      refundable,
      pricingTreatment,
      ...price,
      ...place,
    });
    const { seats } = await this.travelers.seatsOf(pathOf(item));
    const seated = seats.flatMap(({ travelerId }) => travelers.get(travelerId) ?? []);
    if (seated.length > 0) await this.travelers.takeSeats(sold, seated);
  }

  /** Adds a service without a departure at its typed price. */
  private async addService(item: BookingItem, { bookingId, days }: Target): Promise<void> {
    const { type, title, quantity, unitSellCents, refundable, costCents, costCurrency, pricingTreatment } = item;
    const tax = item.taxCodeId === null ? { taxIncludedCents: item.taxIncludedCents } : { taxCodeId: item.taxCodeId };
    const serviceDate = item.serviceDate === null ? null : daysAfter(item.serviceDate, days);
    const price = { unitSellCents, costCents, costCurrency, ...tax };
    await this.items.add(bookingId, { type, title, quantity, refundable, pricingTreatment, serviceDate, ...price });
  }

  /** The pickup stays on the same departure only. The slot of the allotment sells the copy if it is open, otherwise the pool. */
  private async placeOf(item: ItemOfDeparture, { id: departureId }: DepartureSummary) {
    const { allotmentId, pickupFacilityId, pickupNote } = item;
    const isAllotted = allotmentId !== null && (await this.allotments.hasOpenSlot({ allotmentId, departureId }));
    const pickup = item.departureId === departureId ? { pickupFacilityId, pickupNote } : {};
    return { departureId, allotmentId: isAllotted ? allotmentId : null, ...pickup };
  }
}

function isOnDeparture(item: BookingItem): item is ItemOfDeparture {
  return item.departureId !== null;
}

function pathOf({ id, bookingId }: BookingItem): { bookingId: string; itemId: string } {
  return { bookingId, itemId: id };
}

function omissionOf(item: BookingItem, all: readonly BookingItem[]): OmittedItem[] {
  const reason = omissionReasonOf(item, all);
  return reason === null ? [] : [{ bookingItemId: item.id, reason }];
}

function omissionReasonOf(item: BookingItem, all: readonly BookingItem[]): OmittedItem['reason'] | null {
  if (PRICE_CHANGES.includes(item.type)) return 'price_change';
  if (item.supplierStatus !== 'none') return 'supplier_order';
  const isSoldWith = (unit: BookingItem) => unit.unitId !== null && groupOf(unit) === groupOf(item);
  return item.extraId !== null && !all.some(isSoldWith) ? 'unit_missing' : null;
}

function groupOf({ departureId, optionId }: BookingItem): string {
  return `${departureId} ${optionId}`;
}

/** The customer gives name and contacts of the copy; a booking without one has only its own. */
function termsOf(source: Booking, days: number) {
  const { currency, customerId, channelId, notes, customerLanguage } = source;
  const paymentPolicy = source.paymentPolicy && { ...source.paymentPolicy, steps: [...source.paymentPolicy.steps] };
  const { customerName, customerEmail, customerPhone, customerAddress } = source;
  const own = { customerName, customerEmail, customerPhone, customerAddress, customerLanguage };
  const contact = customerId === null ? own : { customerId, ...(customerLanguage && { customerLanguage }) };
  const moved = (day: string | null) => (day === null ? null : daysAfter(day, days));
  const dates = { startDate: moved(source.startDate), endDate: moved(source.endDate) };
  return { currency, channelId, notes, paymentPolicy, ...dates, ...contact };
}

/** The number of days from the departure of these items to the departure of the copy. */
function movedDays(items: readonly BookingItem[], departures: ReadonlyMap<string, DepartureSummary>): number {
  const first = items.filter(isOnDeparture).find(({ serviceDate }) => serviceDate !== null);
  const target = first && departures.get(first.departureId);
  return first?.serviceDate && target ? daysBetween(first.serviceDate, target.startDate) : 0;
}

/** The units and extras by departure and option, the units first. */
function groupsOf(items: readonly ItemOfDeparture[]): ItemOfDeparture[][] {
  const units = items.filter(({ unitId }) => unitId !== null);
  const extras = items.filter(({ extraId }) => extraId !== null);
  const sold = [...units, ...extras];
  return [...new Set(sold.map(groupOf))].map((group) => sold.filter((item) => groupOf(item) === group));
}

/** One line for each unit or extra. */
function totalsBy(
  items: readonly ItemOfDeparture[],
  idOf: (item: BookingItem) => string | null,
): { id: string; quantity: number; items: BookingItem[] }[] {
  return [...new Set(items.flatMap((item) => idOf(item) ?? []))].map((id) => {
    const group = items.filter((item) => idOf(item) === id);
    return { id, quantity: group.reduce((sum, { quantity }) => sum + quantity, 0), items: group };
  });
}
