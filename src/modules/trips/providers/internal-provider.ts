import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { AgencyTermsService, type SoldLine } from '../../bookings/index.js';
import { type DepartureSummary, DeparturesService, type QuotedUnits, QuotesService } from '../../operations/index.js';
import { INTERNAL_SECONDS, type Order, type Quote, type QuoteRequest } from './provider.js';

/**
 * The organization's own products: units of its departures, and services that staff arrange (orders without a departure).
 * Its calls belong to the caller's transaction, so their outcome is never unknown.
 */
@Injectable()
export class InternalProvider {
  constructor(
    private readonly departures: DeparturesService,
    private readonly quotes: QuotesService,
    private readonly agencies: AgencyTermsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns quotes by component, at the prices of the customer's channel. Locks nothing; the hold decides. Several components
   * of one departure share its available units, and an extra that is sold once for a booking belongs to the first component that
   * requires it.
   */
  async quote(requests: readonly QuoteRequest[], customerId: string | null): Promise<Map<string, Quote>> {
    const isByUnits = requests.some(({ units }) => units.length > 0);
    const channelId = isByUnits ? await this.agencies.channelOf(customerId) : null;
    const ids = requests.flatMap(({ departureId }) => departureId ?? []);
    const departures = new Map(
      (ids.length > 0 ? await this.departures.listSummaries(ids) : []).map((one) => [one.id, one]),
    );
    const left = new Map([...departures.values()].map(({ id, available }) => [id, available]));
    const quotes = new Map<string, Quote>();
    const sold: { extraId: string; quantity: number }[] = [];
    for (const request of requests) {
      const { componentId, departureId, quantity } = request;
      if (departureId === null) {
        quotes.set(componentId, this.quoteManual(request));
        continue;
      }
      const units = left.get(departureId) ?? 0;
      const departure = departures.get(departureId);
      const quote =
        departure && request.units.length > 0
          ? await this.quoteUnits(request, { channelId, departure, left: units, sold })
          : this.quoteDeparture(departure, quantity, units);
      if (quote.available) left.set(departureId, units - (quote.seats ?? quantity));
      quotes.set(componentId, quote);
    }
    return quotes;
  }

  /** Throws an `AppError` if the units are not available. */
  async hold({ departureId, quantity }: Order): Promise<void> {
    if (departureId) await this.departures.allocate(departureId, quantity, { from: 'pool', as: 'held' });
  }

  /** Sells the held units. */
  async confirm({ departureId, quantity }: Order): Promise<void> {
    if (departureId) await this.departures.sellHeld(departureId, quantity);
  }

  async release({ departureId, quantity }: Order): Promise<void> {
    if (departureId) await this.departures.release(departureId, quantity, { to: 'pool', from: 'held' });
  }

  private quoteManual({ unitPriceCents, unitTaxIncludedCents, quantity, currency, serviceDate }: QuoteRequest): Quote {
    if (unitPriceCents === null) return { available: false, reason: 'Staff have not set a price' };
    return {
      available: true,
      totalCents: unitPriceCents * quantity,
      taxCents: (unitTaxIncludedCents ?? 0) * quantity,
      currency,
      serviceDate,
      expiresAt: this.clock.inSeconds(INTERNAL_SECONDS),
      cancellationCents: 0,
    };
  }

  /** Units that the product no longer sells like this make the component unavailable. */
  private async quoteUnits(
    { optionId, units, currency }: QuoteRequest,
    terms: {
      channelId: string | null;
      departure: DepartureSummary;
      left: number;
      sold: { extraId: string; quantity: number }[];
    },
  ): Promise<Quote> {
    const { channelId, departure, left, sold } = terms;
    const { productId, startDate: serviceDate } = departure;
    const common = { serviceDate, expiresAt: this.clock.inSeconds(INTERNAL_SECONDS), cancellationCents: 0 };
    if (departure.currency !== currency) {
      return { available: true, ...common, totalCents: 0, taxCents: 0, currency: departure.currency };
    }
    try {
      const sale = { optionId, channelId, currency, serviceDate, units, extras: [], departure, sold };
      const quoted = await this.quotes.quoteUnits(productId, sale);
      const reason = reasonUnavailable(departure, { left, needed: quoted.seats });
      if (reason !== null) return unavailable(reason);
      sold.push(...quoted.extras);
      const { totalCents, taxIncludedCents: taxCents, seats } = quoted;
      return { available: true, ...common, totalCents, taxCents, currency, seats, lines: linesOf(productId, quoted) };
    } catch (error) {
      if (error instanceof AppError) return unavailable(error.message);
      throw error;
    }
  }

  private quoteDeparture(departure: DepartureSummary | undefined, quantity: number, left: number): Quote {
    if (!departure) return unavailable('The departure is unknown');
    const reason = reasonUnavailable(departure, { left, needed: quantity });
    if (reason !== null) return unavailable(reason);
    return {
      available: true,
      totalCents: departure.priceCents * quantity,
      taxCents: departure.taxIncludedCents * quantity,
      currency: departure.currency,
      serviceDate: departure.startDate,
      expiresAt: this.clock.inSeconds(INTERNAL_SECONDS),
      cancellationCents: 0,
    };
  }
}

function reasonUnavailable(
  { salesState }: DepartureSummary,
  { left, needed }: { left: number; needed: number },
): string | null {
  if (salesState === 'cancelled') return 'The departure is cancelled';
  if (salesState === 'called_off') return 'The departure is called off';
  if (salesState === 'departed' || salesState === 'completed') return 'The departure has started';
  if (salesState === 'closed' || salesState === 'cut_off') return 'Sales of the departure have ended';
  return left < needed ? `The departure has too few units left (${left} left, ${needed} needed)` : null;
}

/** The items that the units and extras become, as in a direct sale. */
function linesOf(productId: string, { optionId, lines, extras }: QuotedUnits): SoldLine[] {
  return [
    ...lines.map((line): SoldLine => {
      const { name, quantity, unitSellCents, taxIncludedCents, tax, cost, price } = line;
      return {
        ...{ type: 'unit', name, quantity, unitSellCents, taxIncludedCents, taxCodeId: tax?.taxCodeId ?? null },
        ...{ costCents: cost && cost.cents * quantity, costCurrency: cost?.currency ?? null },
        ...{ productId, optionId, unitId: line.unitId, extraId: null },
        ...{ seatsPerUnit: line.seats, peoplePerUnit: line.paxCount, listUnitSellCents: price.amountCents },
        ...{ priceListId: price.priceListId, priceListVersion: price.priceListVersion },
      };
    }),
    ...extras.map(({ title: name, quantity, unitSellCents, taxIncludedCents, tax, extraId }): SoldLine => ({
      ...{ type: 'extra', name, quantity, unitSellCents, taxIncludedCents, taxCodeId: tax?.taxCodeId ?? null },
      ...{ costCents: null, costCurrency: null, productId, optionId, unitId: null, extraId },
      ...{ seatsPerUnit: 0, peoplePerUnit: 0, listUnitSellCents: unitSellCents },
      ...{ priceListId: null, priceListVersion: null },
    })),
  ];
}

function unavailable(reason: string): Quote {
  return { available: false, reason };
}
