import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { type DepartureSummary, DeparturesService } from '../../operations/index.js';
import { INTERNAL_SECONDS, type Order, type Quote, type QuoteRequest } from './provider.js';

/**
 * The organization's own products: units of its departures, and services that staff arrange (orders without a departure).
 * Its calls belong to the caller's transaction, so their outcome is never unknown.
 */
@Injectable()
export class InternalProvider {
  constructor(
    private readonly departures: DeparturesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns quotes by component. Locks nothing; the hold decides. Several components of one departure share its available
   * units.
   */
  async quote(requests: readonly QuoteRequest[]): Promise<Map<string, Quote>> {
    const ids = requests.flatMap(({ departureId }) => departureId ?? []);
    const departures = new Map(
      (ids.length > 0 ? await this.departures.listSummaries(ids) : []).map((one) => [one.id, one]),
    );
    const left = new Map([...departures.values()].map(({ id, available }) => [id, available]));
    const quotes = new Map<string, Quote>();
    for (const request of requests) {
      const { componentId, departureId, quantity } = request;
      if (departureId === null) {
        quotes.set(componentId, this.quoteManual(request));
        continue;
      }
      const units = left.get(departureId) ?? 0;
      const quote = this.quoteDeparture(departures.get(departureId), quantity, units);
      if (quote.available) left.set(departureId, units - quantity);
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

  private quoteDeparture(departure: DepartureSummary | undefined, quantity: number, left: number): Quote {
    if (!departure) return unavailable('The departure is unknown');
    const { salesState } = departure;
    if (salesState === 'cancelled') return unavailable('The departure is cancelled');
    if (salesState === 'called_off') return unavailable('The departure is called off');
    if (salesState === 'departed' || salesState === 'completed') return unavailable('The departure has started');
    if (salesState === 'closed' || salesState === 'cut_off') return unavailable('Sales of the departure have ended');
    if (left < quantity) {
      return unavailable(`The departure has too few units left (${left} left, ${quantity} needed)`);
    }
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

function unavailable(reason: string): Quote {
  return { available: false, reason };
}
