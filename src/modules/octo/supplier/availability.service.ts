import { Injectable } from '@nestjs/common';
import { daysAfter, daysBetween } from '../../../platform/time/calendar.js';
import { localTimeText } from '../../../platform/time/local-time.js';
import { AllotmentsService, type ChannelSlot } from '../../distribution/index.js';
import { type DepartureSummary, DeparturesService } from '../../operations/index.js';
import { type ChannelOption, type ChannelProduct, ChannelProductsService } from '../../products/index.js';
import type { AvailabilityCheck, CalendarQuestion } from './availability.dto.js';
import { CatalogueService } from './catalogue.service.js';
import { badRequest, invalidId } from './octo-errors.js';
import type { OctoAvailability, OctoDay, OctoPricing } from './octo-objects.js';
import { figuresOf, pricingOf, sumOfFigures, toPricing, type UnitCents } from './octo-pricing.js';
import type { Reseller } from './resellers.service.js';
import { seatsOf, statusOf, vacanciesOf, type Vacancies } from './vacancies.js';

const MAX_DAYS = 92;
const MAX_CALENDAR_DAYS = 731;
/** Departures of one answer. */
const MAX_DEPARTURES = 5_000;

/** What a reseller asks about: units of an option of a product, and in which currency. */
interface Question {
  product: ChannelProduct;
  option: ChannelOption | null;
  units: readonly { id: string; quantity: number }[];
}

/** A departure with what the reseller can take of it. */
export interface OfferedDeparture {
  departure: DepartureSummary;
  vacancies: Vacancies;
  isOnSale: boolean;
  /** By the IDs of units; units without a price are missing. */
  prices: ReadonlyMap<string, UnitCents & { priceListId: string | null; priceListVersion: number | null }>;
}

/** Which departures a reseller can sell, and at which prices. */
@Injectable()
export class AvailabilityService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly departures: DeparturesService,
    private readonly allotments: AllotmentsService,
    private readonly products: ChannelProductsService,
  ) {}

  async check(body: AvailabilityCheck, reseller: Reseller): Promise<OctoAvailability[]> {
    const { availabilityIds, localDateStart, localDateEnd } = body;
    const question = await this.questionOf(body, reseller);
    let found: DepartureSummary[];
    if (availabilityIds) {
      if (localDateStart || localDateEnd) throw badRequest('Send either availabilityIds or dates');
      found = await this.departures.listSummaries(availabilityIds);
    } else {
      if (!localDateStart || !localDateEnd)
        throw badRequest('Send availabilityIds, or localDateStart and localDateEnd');
      found = await this.listOn(question, { from: localDateStart, to: localDateEnd }, MAX_DAYS);
    }
    const offered = await this.offer(inOrder(found), question, reseller);
    const priced = body.currency ? offered.filter(({ departure }) => departure.currency === body.currency) : offered;
    return priced.map((one) => toAvailability(one, question, reseller));
  }

  /** All days of the period; those without departures are closed. */
  async calendar(body: CalendarQuestion, reseller: Reseller): Promise<OctoDay[]> {
    const question = await this.questionOf(body, reseller);
    const { localDateStart: from, localDateEnd: to } = body;
    const found = await this.listOn(question, { from, to }, MAX_CALENDAR_DAYS);
    const offered = await this.offer(found, question, reseller);
    const byDay = new Map<string, OfferedDeparture[]>();
    for (const one of offered) {
      if (body.currency && one.departure.currency !== body.currency) continue;
      const { startDate } = one.departure;
      byDay.set(startDate, [...(byDay.get(startDate) ?? []), one]);
    }
    return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => {
      const day = daysAfter(from, index);
      return toDay(day, byDay.get(day) ?? [], { question, reseller });
    });
  }

  /** What the reseller can take of one departure. Throws if it does not belong to the option. */
  async offerOne(
    departureId: string,
    { product, option }: Pick<Question, 'product' | 'option'>,
    reseller: Reseller,
  ): Promise<OfferedDeparture> {
    const departures = await this.departures.listSummaries([departureId]);
    const [offered] = await this.offer(departures, { product, option, units: [] }, reseller);
    if (!offered) throw invalidId('INVALID_AVAILABILITY_ID', 'availabilityId', departureId);
    return offered;
  }

  private async questionOf(
    { productId, optionId, units, currency }: AvailabilityCheck | CalendarQuestion,
    reseller: Reseller,
  ): Promise<Question> {
    const { product, option } = await this.catalogue.getSold(productId, optionId, reseller);
    for (const { id } of units ?? []) {
      if (!product.units.some((unit) => unit.id === id)) throw invalidId('INVALID_UNIT_ID', 'unitId', id);
    }
    if (currency) await this.catalogue.assertCurrency(productId, currency);
    return { product, option, units: units ?? [] };
  }

  private async listOn(
    { product: { id, timeZone } }: Question,
    { from, to }: { from: string; to: string },
    maxDays: number,
  ): Promise<DepartureSummary[]> {
    const days = daysBetween(from, to) + 1;
    if (days < 1) throw badRequest('localDateEnd must not be before localDateStart');
    if (days > maxDays) throw badRequest(`The period must not exceed ${maxDays} days`);
    return this.departures.listOn(id, { timeZone, from, to, limit: MAX_DEPARTURES });
  }

  /** Departures that were cancelled, have started, or are of another product, option or zone are left out. */
  private async offer(
    departures: readonly DepartureSummary[],
    { product, option }: Question,
    { connection, isSelling }: Reseller,
  ): Promise<OfferedDeparture[]> {
    const shown = departures.filter(
      (one) =>
        ['open', 'sold_out', 'closed', 'cut_off'].includes(one.salesState) &&
        one.productId === product.id &&
        one.timeZone === product.timeZone &&
        (one.optionId === null || one.optionId === option?.id),
    );
    const { channelId } = connection;
    const slots = new Map<string, ChannelSlot>();
    const ids = shown.map(({ id }) => id);
    for (const slot of await this.allotments.listSlotsOf(channelId, ids)) slots.set(slot.departureId, slot);
    const sale = { optionId: option?.id ?? null, channelId, departures: shown };
    const priced = await this.products.pricesOn(product, sale);
    return shown.map((departure) => {
      const { channel, general } = priced.get(departure.id) ?? {};
      const prices = new Map(
        [...(channel ?? [])].map(([unitId, { amountCents, priceListId, priceListVersion }]) => {
          const generalCents = general?.get(unitId)?.amountCents ?? null;
          return [unitId, { channelCents: amountCents, generalCents, priceListId, priceListVersion }];
        }),
      );
      return {
        departure,
        vacancies: vacanciesOf(connection, departure, slots.get(departure.id) ?? null),
        isOnSale: isSelling && ['open', 'sold_out'].includes(departure.salesState),
        prices,
      };
    });
  }
}

function inOrder(departures: readonly DepartureSummary[]): DepartureSummary[] {
  return [...departures].sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime() || (a.id < b.id ? -1 : 1));
}

function toAvailability(offered: OfferedDeparture, question: Question, reseller: Reseller): OctoAvailability {
  const { departure } = offered;
  const { timeZone, currency } = departure;
  const { status, seats, capacity } = stateOf(offered, question);
  const cutoff = departure.bookableUntil ?? departure.startsAt;
  return {
    id: departure.id,
    localDateTimeStart: localTimeText(departure.startsAt, timeZone),
    localDateTimeEnd: localTimeText(departure.endsAt, timeZone),
    utcCutoffAt: utcText(cutoff),
    allDay: false,
    available: status === 'AVAILABLE' || status === 'LIMITED',
    status,
    ...{ vacancies: seats, capacity, maxUnits: question.option?.maxUnits ?? null, openingHours: [] },
    ...(reseller.withPricing && { unitPricing: unitPricing(offered, reseller) }),
    ...(reseller.withPricing &&
      question.units.length > 0 && { pricing: totalPricing(offered, question, reseller, currency) }),
  };
}

/** An instant in whole seconds. */
export function utcText(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

function stateOf({ vacancies, isOnSale }: OfferedDeparture, { product, units }: Question) {
  const wanted = units.reduce((sum, { id, quantity }) => {
    return sum + quantity * (product.units.find((unit) => unit.id === id)?.seats ?? 0);
  }, 0);
  const seats = seatsOf(vacancies);
  const { capacity } = vacancies;
  return { status: statusOf({ seats, capacity, wanted }, isOnSale && vacancies.isOpen), seats, capacity };
}

function unitPricing(
  { prices, departure }: OfferedDeparture,
  { connection }: Reseller,
): (OctoPricing & { unitId: string })[] {
  const { currency } = departure;
  return [...prices].map(([unitId, cents]) => ({ unitId, ...pricingOf(cents, { connection, currency }) }));
}

function totalPricing(
  { prices }: OfferedDeparture,
  { units }: Question,
  { connection }: Reseller,
  currency: string,
): OctoPricing {
  const figures = units.flatMap(({ id, quantity }) => {
    const cents = prices.get(id);
    return cents ? Array.from({ length: quantity }, () => figuresOf(cents, connection)) : [];
  });
  return toPricing(sumOfFigures(figures), { currency, showNet: connection.showNet });
}

function toDay(
  localDate: string,
  offered: readonly OfferedDeparture[],
  { question, reseller }: { question: Question; reseller: Reseller },
): OctoDay {
  const states = offered.map((one) => stateOf(one, question));
  const rank = { AVAILABLE: 3, LIMITED: 2, SOLD_OUT: 1, CLOSED: 0 } as const;
  const [best] = states.toSorted((a, b) => rank[b.status] - rank[a.status] || b.seats - a.seats);
  const status = best?.status ?? 'CLOSED';
  const lowest = new Map<string, OctoPricing & { unitId: string }>();
  for (const price of reseller.withPricing ? offered.flatMap((one) => unitPricing(one, reseller)) : []) {
    const known = lowest.get(price.unitId);
    if (!known || price.retail < known.retail) lowest.set(price.unitId, price);
  }
  return {
    localDate,
    available: status === 'AVAILABLE' || status === 'LIMITED',
    status,
    ...{ vacancies: best?.seats ?? 0, capacity: best?.capacity ?? 0, openingHours: [] },
    ...(reseller.withPricing && { unitPricingFrom: [...lowest.values()] }),
  };
}
