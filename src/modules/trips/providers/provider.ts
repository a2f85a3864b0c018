import { named } from '../../../platform/http/named-values.js';

/** What is asked of a provider, and what was agreed with it: frozen in the step of a reservation. */
export interface Order {
  readonly componentId: string;
  readonly departureId: string | null;
  readonly providerRef: string | null;
  readonly quantity: number;
}

/** A component as its provider is asked about it; a manual one brings its own price. */
export interface Wanted extends Order {
  readonly currency: string;
  readonly unitPriceCents: number | null;
  readonly unitTaxIncludedCents: number | null;
  readonly serviceDate: string | null;
}

export type Quote = Offer | { readonly available: false; readonly reason: string };

/** Amounts in minor units for the whole quantity; the total includes the tax. */
export interface Offer {
  readonly available: true;
  readonly totalCents: number;
  readonly taxCents: number;
  readonly currency: string;
  readonly serviceDate: string | null;
  readonly expiresAt: Date;
  /** What giving it back would cost, by which a saga holds the cheapest to cancel first. */
  readonly cancellationCents: number;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

export type Held = { readonly held: true; readonly expiresAt: Date } | ({ readonly held: false } & Refusal);

export const PROVIDER_NAMES = named('TripProvider', ['departures', 'manual', 'simulated']);
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/**
 * Whoever sells a component. A key names one hold for ever: with the same key, every one of these calls may be repeated.
 * A refusal is an answer; what throws has an outcome that nobody knows.
 */
interface Provider {
  readonly name: ProviderName;
  /** In the order in which they were asked for. */
  quote(wanted: readonly Wanted[]): Promise<Quote[]>;
  hold(key: string, order: Order): Promise<Held>;
  /** Makes the hold final. */
  confirm(key: string, order: Order): Promise<Refusal | null>;
  /** Gives back what is held, or confirmed. A key that was never held can be held no more afterwards. */
  release(key: string, order: Order): Promise<void>;
}

/** Works in our own database, and so within the transaction of whoever asks: its outcome is never unknown. */
export interface InternalProvider extends Provider {
  readonly isInternal: true;
}

/** Works somewhere else: never asked inside a transaction. */
export interface ExternalProvider extends Provider {
  readonly isInternal: false;
  /** What became of a hold whose answer was lost; null where the provider does not know the key. */
  lookup(key: string): Promise<Held | null>;
}

/** How long prices and holds last that are ours to give. */
export const OURS_SECONDS = 30 * 60;
