import type { SoldLine } from '../../bookings/index.js';
import { named } from '../../../platform/http/named-values.js';

export const PROVIDER_NAMES = named('TripProvider', ['departures', 'manual', 'simulated']);
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/**
 * Internal providers use the database of the service, inside transactions only; external ones are never called inside a
 * transaction.
 */
const INTERNAL: Readonly<Record<ProviderName, boolean>> = { departures: true, manual: true, simulated: false };

export function isInternal(provider: ProviderName): boolean {
  return INTERNAL[provider];
}

/** The order that a provider is to hold, as agreed with it: stored unchanged in the step of a reservation. */
export interface Order {
  readonly componentId: string;
  readonly departureId: string | null;
  readonly providerRef: string | null;
  /** For a held departure: the seats that the component takes. */
  readonly quantity: number;
}

/** A component for which a price is requested; a manual one brings its own price. */
export interface QuoteRequest extends Order {
  /** Units of the departure's product, and their option; without units, `quantity` is sold at the price of the departure. */
  readonly optionId: string | null;
  readonly units: readonly { unitId: string; quantity: number }[];
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
  /** Fee for releasing a hold. A reservation first holds the components that are cheapest to cancel. */
  readonly cancellationCents: number;
  /** What units are sold as, and the capacity that they take; absent without units. */
  readonly lines?: readonly SoldLine[];
  readonly seats?: number;
}

export interface Rejection {
  readonly code: string;
  readonly message: string;
}

export type HoldResult = { readonly held: true; readonly expiresAt: Date } | ({ readonly held: false } & Rejection);

/** The state of an order at a provider. `closed` means that it was rejected, released or cancelled. */
export type OrderState =
  | { readonly state: 'held'; readonly expiresAt: Date }
  | { readonly state: 'confirmed' }
  | ({ readonly state: 'closed' } & Rejection);

/** The fee is in minor units of the offer's currency. */
export interface Cancellation {
  readonly feeCents: number;
}

/**
 * A provider that is called over the network. A key identifies one hold forever: each call may be repeated with the same
 * key. A rejection is a result; after an error the outcome is unknown.
 */
export interface ExternalProvider {
  quote(request: QuoteRequest): Promise<Quote>;
  hold(key: string, order: Order): Promise<HoldResult>;
  /** Makes the hold final. Returns why the provider rejected that, or null. */
  confirm(key: string, order: Order): Promise<Rejection | null>;
  /** Ends a hold, confirmed or not. A key that was never held cannot be held afterwards. */
  release(key: string, order: Order): Promise<void>;
  /** Ends a confirmed order, for a fee. A key that the provider does not know cannot be held afterwards. */
  cancel(key: string, order: Order): Promise<Cancellation>;
  /** Looks up a hold whose response was lost; null if the provider does not know the key. */
  lookup(key: string): Promise<OrderState | null>;
}

/** The duration of internal prices and holds. */
export const INTERNAL_SECONDS = 30 * 60;
