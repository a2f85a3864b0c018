import { AppError, conflict, unprocessable } from '../../../platform/errors/app-error.js';
import type { Offer, Quote } from '../providers/provider.js';
import type { ComponentPrice, TripComponent } from './trip-component.entity.js';
import type { TripPrices } from './trip.entity.js';

const QUOTE_RETRY_MS = 3_000;

const NO_ANSWER: Quote = { available: false, reason: 'The provider did not respond' };

interface PriceChange {
  componentId: string;
  previousCents: number | null;
  currentCents: number;
}

interface UnavailableComponent {
  componentId: string;
  reason: string;
}

/** The effect of new quotes on components. */
export interface QuoteOutcome {
  unavailable: UnavailableComponent[];
  /** Components that are sold in another currency. */
  otherCurrency: string[];
  changes: PriceChange[];
}

/** Sets the price of each component, or marks it unavailable. */
export function applyQuotes(
  components: readonly TripComponent[],
  quotes: ReadonlyMap<string, Quote>,
  currency: string,
): QuoteOutcome {
  const outcome: QuoteOutcome = { unavailable: [], otherCurrency: [], changes: [] };
  for (const component of components) {
    const quote = quotes.get(component.id) ?? NO_ANSWER;
    if (!quote.available) {
      component.markUnavailable(quote.reason);
      outcome.unavailable.push({ componentId: component.id, reason: quote.reason });
    } else if (quote.currency !== currency) {
      component.markUnavailable(`The component is sold in ${quote.currency} only`);
      outcome.otherCurrency.push(component.id);
    } else {
      const previousCents = component.totalCents;
      component.price(priceOf(quote), { serviceDate: quote.serviceDate, lines: [...(quote.lines ?? [])] });
      if (previousCents !== quote.totalCents) {
        outcome.changes.push({ componentId: component.id, previousCents, currentCents: quote.totalCents });
      }
    }
  }
  return outcome;
}

/** The sums of all components and the first expiry of their prices; null if a component has no price. */
export function sumOf(components: readonly TripComponent[]): TripPrices {
  const none: TripPrices = { subtotalCents: null, taxCents: null, totalCents: null, priceExpiresAt: null };
  if (components.length === 0) return none;
  const sum = { subtotalCents: 0, taxCents: 0, totalCents: 0 };
  let first = Infinity;
  for (const { subtotalCents, taxCents, totalCents, priceExpiresAt } of components) {
    if (subtotalCents === null || taxCents === null || totalCents === null || priceExpiresAt === null) return none;
    sum.subtotalCents += subtotalCents;
    sum.taxCents += taxCents;
    sum.totalCents += totalCents;
    first = Math.min(first, priceExpiresAt.getTime());
  }
  return { ...sum, priceExpiresAt: new Date(first) };
}

/** Returns the reason why the components cannot be priced, or null. */
export function pricingErrorOf({ unavailable, otherCurrency }: QuoteOutcome, currency: string): AppError | null {
  if (otherCurrency.length > 0) {
    return unprocessable('currency_mismatch', `Not every component is sold in ${currency}`, {
      field: 'currency',
      currency,
      componentIds: otherCurrency,
    });
  }
  if (unavailable.length === 0) return null;
  const componentIds = unavailable.map(({ componentId }) => componentId);
  const details = { componentIds, components: unavailable };
  return conflict('component_unavailable', 'Not every component is available', details);
}

/** Creates a 409: providers have not quoted these components in time; their quotes are used when they arrive. */
export function quotePending(componentIds: readonly string[]): AppError {
  return new AppError(409, 'quote_pending', 'A provider has not quoted every component yet', {
    details: { componentIds },
    retryAfterMs: QUOTE_RETRY_MS,
  });
}

/** Returns the reason why the trip cannot be reserved at the new prices, or null. */
export function reservationErrorOf(outcome: QuoteOutcome, currency: string): AppError | null {
  const error = pricingErrorOf(outcome, currency);
  if (error || outcome.changes.length === 0) return error;
  return conflict('price_changed', 'The prices have changed', { changes: outcome.changes });
}

function priceOf({ totalCents, taxCents, currency, expiresAt }: Offer): ComponentPrice {
  return { subtotalCents: totalCents - taxCents, taxCents, totalCents, currency, priceExpiresAt: expiresAt };
}
