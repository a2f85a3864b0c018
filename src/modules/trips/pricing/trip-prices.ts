import { type AppError, conflict, unprocessable } from '../../../platform/errors/app-error.js';
import type { ComponentPrice, TripComponent } from '../components/component.entity.js';
import type { Prices } from '../envelopes/trip.entity.js';
import type { Offer, Quote } from '../providers/provider.js';

export interface PriceChange {
  componentId: string;
  previousCents: number | null;
  currentCents: number;
}

/** A component that cannot be sold as it is, and what its provider says of it. */
export interface Gone {
  componentId: string;
  reason: string;
}

/** What new quotes make of components. */
export interface Outcome {
  gone: Gone[];
  otherCurrency: string[];
  changes: PriceChange[];
}

/** Gives each component its new price, or makes it unavailable. */
export function takeQuotes(
  components: readonly TripComponent[],
  quotes: ReadonlyMap<string, Quote>,
  currency: string,
): Outcome {
  const outcome: Outcome = { gone: [], otherCurrency: [], changes: [] };
  for (const component of components) {
    const quote = quotes.get(component.id) ?? { available: false, reason: 'The provider did not answer' };
    if (!quote.available) {
      component.lose(quote.reason);
      outcome.gone.push({ componentId: component.id, reason: quote.reason });
    } else if (quote.currency !== currency) {
      component.lose(`It is sold in ${quote.currency} only`);
      outcome.otherCurrency.push(component.id);
    } else {
      const previousCents = component.totalCents;
      component.price(priceOf(quote), quote.serviceDate);
      if (previousCents !== quote.totalCents) {
        outcome.changes.push({ componentId: component.id, previousCents, currentCents: quote.totalCents });
      }
    }
  }
  return outcome;
}

/** The sums of all components, and when the first of their prices expires; none where one has no price. */
export function sumOf(components: readonly TripComponent[]): Prices {
  const none: Prices = { subtotalCents: null, taxCents: null, totalCents: null, priceExpiresAt: null };
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

/** Why these quotes do not make a price, if they do not. */
export function refusalOf({ gone, otherCurrency }: Outcome, currency: string): AppError | null {
  if (otherCurrency.length > 0) {
    return unprocessable('currency_mismatch', `Not every component is sold in ${currency}`, {
      currency,
      componentIds: otherCurrency,
    });
  }
  if (gone.length === 0) return null;
  const componentIds = gone.map(({ componentId }) => componentId);
  return conflict('component_unavailable', 'Not every component is available', { componentIds, components: gone });
}

function priceOf({ totalCents, taxCents, currency, expiresAt }: Offer): ComponentPrice {
  return { subtotalCents: totalCents - taxCents, taxCents, totalCents, currency, priceExpiresAt: expiresAt };
}
