import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { invalidField, invalidRequest, unprocessable } from '../../../platform/errors/app-error.js';
import { ageOn } from '../../../platform/time/calendar.js';
import { departureTax, DeparturesService, type DepartureSummary, type SalesTerms } from '../../operations/index.js';
import {
  type PricedExtraOfSale,
  type PricedUnitOfSale,
  ProductsService,
  UnitPricesService,
} from '../../products/index.js';
import type { CreateBookingItem } from '../items/booking-item.dto.js';
import { type BookingItem, NO_UNIT, type UnitOfItem } from '../items/booking-item.entity.js';
import { BookingItemsService } from '../bookings/booking-items.service.js';
import { BookingListener } from '../bookings/booking-listener.js';
import { BookingsRepository } from '../bookings/bookings.repository.js';
import { BookingsService } from '../bookings/bookings.service.js';
import { overridesOf } from '../items/sales-override.js';
import type { BookingTraveler } from '../travelers/traveler.entity.js';
import { assertAllFound, TravelersService } from '../travelers/travelers.service.js';
import type { AddBookingItems, SoldExtra, SoldUnit } from './unit-sale.dto.js';

const MAX_TITLE = 255;

/** Members of an item that follow from its unit. */
const BY_UNITS = [
  'type',
  'status',
  'quantity',
  'unitSellCents',
  'taxIncludedCents',
  'taxCodeId',
  'costCents',
  'costCurrency',
  'serviceDate',
] as const;

export interface AddedItems {
  items: BookingItem[];
  /** Items of units with age limits for which the age of a traveler is unknown. */
  withUnknownAges: BookingItem[];
}

/** Units for a customer: of a product that is sold by units, otherwise a `quantity` at the price of the departure. */
export interface HeldSale {
  customerId: string;
  departureId: string;
  optionId: string | null;
  units: readonly { unitId: string; quantity: number }[];
  quantity: number | null;
}

type UnitsRequest = AddBookingItems & { departureId: string; units: SoldUnit[] };

/** Sells the units of a product on a departure, with their extras, each at the price that a quote of the day states. */
@Injectable()
export class UnitSalesService {
  constructor(
    private readonly database: Database,
    private readonly repository: BookingsRepository,
    private readonly bookings: BookingsService,
    private readonly items: BookingItemsService,
    private readonly unitPrices: UnitPricesService,
    private readonly products: ProductsService,
    private readonly departures: DeparturesService,
    private readonly travelers: TravelersService,
    private readonly listeners: Listeners,
  ) {}

  /** Adds the item that the request describes, or one for each of its units and their extras; all of them or none. */
  async add(bookingId: string, body: AddBookingItems): Promise<AddedItems> {
    if (isOfUnits(body)) return this.addUnits(bookingId, body);
    const input = singleItem(body);
    return this.database.transaction(async () => {
      const item = await this.items.add(bookingId, input);
      await this.listeners.call(BookingListener, (listener) => listener.itemsAdded?.(bookingId));
      return { items: [item], withUnknownAges: [] };
    });
  }

  /**
   * Creates a draft of the customer with units of a departure, in its currency. The units were held for the customer until this
   * transaction, so it does not matter whether sales have been closed since. Returns its id.
   */
  async sellHeld({ customerId, departureId, optionId, units, quantity }: HeldSale): Promise<string> {
    return this.database.transaction(async () => {
      const departure = await this.departures.getSummary(departureId);
      const { id, customerLanguage } = await this.bookings.create({ customerId, currency: departure.currency });
      if (quantity === null) await this.addUnits(id, { departureId, optionId, units: [...units] }, 'held_before');
      else {
        const { productId } = departure;
        const title = (await this.products.findTitle(productId, customerLanguage)) ?? productId;
        const item = { type: 'unit', title, quantity, departureId, ...seatPrice(departure, quantity) } as const;
        await this.items.add(id, item, { terms: 'held_before' });
      }
      return id;
    });
  }

  private async addUnits(bookingId: string, body: UnitsRequest, terms?: SalesTerms): Promise<AddedItems> {
    const overrides = overridesOf(body);
    return this.database.transaction(async () => {
      const booking = await this.repository.bookings.lock(bookingId);
      booking.assertItemsOpen();
      const departure = await this.lockDeparture(body.departureId);
      const { startDate: serviceDate, productId } = departure;
      const travelers = await this.travelersOf(bookingId, body.units);
      const active = await this.repository.activeItems(bookingId);
      const mayDiffer = overrides.includes('price');
      const given = body.extras ?? [];
      const { optionId, lines, extras, title } = await this.unitPrices.priceOfSale(productId, {
        ...{ optionId: body.optionId ?? null, channelId: booking.channelId, currency: booking.currency },
        ...{ serviceDate, departure, language: booking.customerLanguage },
        units: body.units.map(({ unitId, quantity, travelerIds = [], unitSellCents }) => ({
          ...{ unitId, quantity, hasTypedPrice: unitSellCents !== undefined && mayDiffer },
          ages: agesOf(travelers, travelerIds, serviceDate),
        })),
        extras: given.map(({ extraId, quantity, unitSellCents }) => ({
          ...{ extraId, quantity, hasTypedPrice: unitSellCents !== undefined && mayDiffer },
        })),
        sold: active.flatMap(({ extraId, quantity }) => (extraId === null ? [] : { extraId, quantity })),
      });
      const added: AddedItems = { items: [], withUnknownAges: [] };
      for (const [index, line] of lines.entries()) {
        const unit = body.units[index];
        const unitSellCents = priceOf(line, { given: unit, index, mayDiffer });
        assertExact(line, { unitSellCents, index });
        const input = inputOf(line, { body, departure, title: body.title ?? title, unitSellCents });
        const item = await this.items.add(bookingId, input, { unit: unitOf(line, { productId, optionId }), terms });
        if (unit?.travelerIds?.length) await this.travelers.takeSeats(item, unit.travelerIds);
        added.items.push(item);
        if (line.isAgeUnknown) added.withUnknownAges.push(item);
      }
      for (const [index, extra] of extras.entries()) {
        const unitSellCents = priceOfExtra(extra, { given: given[index], index, mayDiffer });
        const input = extraInputOf(extra, { body, departure, unitSellCents });
        const { extraId, unitSellCents: listUnitSellCents } = extra;
        const nothing = { seatsPerUnit: 0, peoplePerUnit: 0 };
        const unit = { ...NO_UNIT, ...nothing, productId, optionId, extraId, listUnitSellCents };
        added.items.push(await this.items.add(bookingId, input, { unit, terms }));
      }
      await this.listeners.call(BookingListener, (listener) => listener.itemsAdded?.(bookingId));
      return added;
    });
  }

  private async lockDeparture(departureId: string): Promise<DepartureSummary> {
    await this.departures.get(departureId, { field: 'departureId' });
    const [departure] = await this.departures.lock([departureId]);
    if (!departure) throw new Error(`The departure ${departureId} was deleted`);
    return departure;
  }

  /** The active travelers of the booking, if the request names any. */
  private async travelersOf(bookingId: string, units: readonly SoldUnit[]): Promise<BookingTraveler[]> {
    if (units.every(({ travelerIds = [] }) => travelerIds.length === 0)) return [];
    const travelers = await this.travelers.lockActive(bookingId);
    const named = new Set<string>();
    for (const [index, { travelerIds = [] }] of units.entries()) {
      assertAllFound(travelers, travelerIds, `units.${index}.travelerIds`);
      const twice = travelerIds.findIndex((id) => named.has(id));
      const path = `units.${index}.travelerIds.${twice}`;
      if (twice >= 0) throw invalidField(path, 'The traveler is named twice', 'duplicate');
      for (const id of travelerIds) named.add(id);
    }
    return travelers;
  }
}

/** The price and tax of seats of a departure whose product has no units. */
export function seatPrice(
  departure: DepartureSummary,
  quantity: number,
): Pick<CreateBookingItem, 'unitSellCents' | 'taxIncludedCents' | 'taxCodeId'> {
  const { priceCents: unitSellCents, taxCodeId } = departure;
  const taxIncludedCents = departureTax(quantity * unitSellCents, departure);
  return taxCodeId === null ? { unitSellCents, taxIncludedCents } : { unitSellCents, taxCodeId };
}

function isOfUnits(body: AddBookingItems): body is UnitsRequest {
  if (body.units === undefined) return false;
  const issues = BY_UNITS.filter((member) => body[member] !== undefined).map((member) => ({
    path: member,
    code: 'not_applicable' as const,
    message: `${member} must not be sent with units`,
  }));
  if (issues.length > 0) throw invalidRequest(issues);
  if (typeof body.departureId !== 'string') throw invalidField('departureId', 'units require departureId', 'required');
  return true;
}

function singleItem({ units: _, extras, optionId, ...input }: AddBookingItems): CreateBookingItem {
  if (extras !== undefined) throw invalidField('extras', 'extras require units', 'not_applicable');
  if (optionId !== undefined) throw invalidField('optionId', 'optionId requires units', 'not_applicable');
  const { type, title, unitSellCents } = input;
  if (type !== undefined && title !== undefined && unitSellCents !== undefined) {
    return { ...input, type, title, unitSellCents };
  }
  const missing = Object.entries({ type, title, unitSellCents }).filter(([, value]) => value === undefined);
  const required = missing.map(([path]) => ({ path, code: 'required' as const, message: `${path} is required` }));
  throw invalidRequest(required);
}

function agesOf(travelers: readonly BookingTraveler[], ids: readonly string[], day: string): number[] {
  return travelers
    .filter(({ id }) => ids.includes(id))
    .flatMap(({ birthDate }) => (birthDate === null ? [] : (ageOn(day, birthDate) ?? [])));
}

/** A quoted price that is no longer that of the unit is rejected, unless staff may decide it. */
function priceOf(
  { unitId, price }: PricedUnitOfSale,
  { given, index, mayDiffer }: { given: SoldUnit | undefined; index: number; mayDiffer: boolean },
): number {
  const typed = given?.unitSellCents;
  if (typed !== undefined && (mayDiffer || typed === price?.amountCents)) return typed;
  const details = { field: `units.${index}.unitSellCents`, unitId, expected: price?.amountCents ?? null };
  if (typed === undefined && price) return price.amountCents;
  throw unprocessable('price_differs', 'The price differs from the current price of the unit', {
    ...details,
    actual: typed ?? null,
  });
}

function inputOf(
  { name, quantity, taxCodeId, cost }: PricedUnitOfSale,
  terms: { body: UnitsRequest; departure: DepartureSummary; title: string; unitSellCents: number },
): CreateBookingItem {
  const { departure, unitSellCents } = terms;
  const { refundable, pricingTreatment, departureId, allotmentId, override, overrideReason } = terms.body;
  const { pickupFacilityId, pickupNote } = terms.body;
  const code = taxCodeId ?? departure.taxCodeId;
  const tax =
    code === null ? { taxIncludedCents: departureTax(quantity * unitSellCents, departure) } : { taxCodeId: code };
  return {
    ...{ type: 'unit', title: titleOf(terms.title, name), quantity, unitSellCents, ...tax },
    ...{ costCents: cost && cost.cents * quantity, costCurrency: cost?.currency ?? null },
    ...{ refundable, pricingTreatment, departureId, allotmentId, override, overrideReason },
    ...{ pickupFacilityId, pickupNote },
  };
}

/** Like `priceOf`, for an extra; one that the request does not name has no typed price. */
function priceOfExtra(
  { extraId, unitSellCents: expected }: PricedExtraOfSale,
  { given, index, mayDiffer }: { given: SoldExtra | undefined; index: number; mayDiffer: boolean },
): number {
  const typed = given?.unitSellCents;
  if (typed !== undefined && (mayDiffer || typed === expected)) return typed;
  if (typed === undefined && expected !== null) return expected;
  const details = { field: `extras.${index}.unitSellCents`, extraId, expected, actual: typed ?? null };
  throw unprocessable('price_differs', 'The price differs from the current price of the extra', details);
}

/** An extra takes no unit of an allotment, which belongs to the units. */
function extraInputOf(
  { title, quantity, taxCodeId }: PricedExtraOfSale,
  terms: { body: UnitsRequest; departure: DepartureSummary; unitSellCents: number },
): CreateBookingItem {
  const { body, departure, unitSellCents } = terms;
  const { refundable, pricingTreatment, departureId, override, overrideReason } = body;
  if (!Number.isSafeInteger(Number(BigInt(unitSellCents) * BigInt(quantity)))) {
    throw invalidField('extras', 'The price of an extra exceeds 2^53-1', 'amount_too_large');
  }
  const code = taxCodeId ?? departure.taxCodeId;
  const tax =
    code === null ? { taxIncludedCents: departureTax(quantity * unitSellCents, departure) } : { taxCodeId: code };
  return {
    ...{ type: 'extra', title, quantity, unitSellCents, ...tax },
    ...{ refundable, pricingTreatment, departureId, override, overrideReason },
  };
}

/** A long title is cut, so that the name of the unit stays readable. */
export function titleOf(title: string, unit: string): string {
  const end = [...`: ${unit}`];
  const start = [...title].slice(0, Math.max(0, MAX_TITLE - end.length));
  return [...start, ...end].slice(0, MAX_TITLE).join('');
}

/** Amounts that no number expresses exactly are rejected at the unit that causes them. */
function assertExact(
  { quantity, cost }: PricedUnitOfSale,
  { unitSellCents, index }: { unitSellCents: number; index: number },
): void {
  const largest = Math.max(unitSellCents, cost?.cents ?? 0);
  if (Number.isSafeInteger(Number(BigInt(largest) * BigInt(quantity)))) return;
  throw invalidField(`units.${index}.quantity`, 'An amount of the units exceeds 2^53-1', 'amount_too_large');
}

function unitOf(
  { unitId, seats, paxCount, price }: PricedUnitOfSale,
  { productId, optionId }: { productId: string; optionId: string | null },
): UnitOfItem {
  return {
    ...{ productId, optionId, unitId, extraId: null, seatsPerUnit: seats, peoplePerUnit: paxCount },
    listUnitSellCents: price?.amountCents ?? null,
    priceListId: price?.priceListId ?? null,
    priceListVersion: price?.priceListVersion ?? null,
  };
}
