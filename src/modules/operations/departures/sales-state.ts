import { named } from '../../../platform/http/named-values.js';

export const SALES_STATES = named('DepartureSalesState', [
  'open',
  'closed',
  'cut_off',
  'sold_out',
  'called_off',
  'cancelled',
  'departed',
  'completed',
]);
export type SalesState = (typeof SALES_STATES)[number];

/** Why a departure is called off. */
export const CALL_OFF_REASONS = named('CallOffReason', [
  'weather',
  'minimum_not_reached',
  'operational',
  'supplier',
  'force_majeure',
  'other',
]);
export type CallOffReason = (typeof CALL_OFF_REASONS)[number];

/** Whether a departure takes place for certain. */
export const RUN_STATES = named('DepartureRunState', ['tentative', 'guaranteed']);
export type RunState = (typeof RUN_STATES)[number];

/** Whether a departure is sold out depends on the units: the pool may be sold out while the slot of a channel is not. */
const ON_SALE: readonly SalesState[] = ['open', 'sold_out'];

export interface SalesTimes {
  readonly status: string;
  readonly startsAt: Date;
  readonly cutoffAt: Date | null;
  readonly salesClosedAt: Date | null;
}

/** Sales states in which staff may still sell with the scope `bookings:override`: after the cut-off, or after the start. */
export const SALES_OVERRIDES = named('SalesOverride', ['cutoff', 'past']);
export type SalesOverride = (typeof SALES_OVERRIDES)[number];

const OVERRIDDEN: Readonly<Record<SalesOverride, readonly SalesState[]>> = {
  cutoff: ['cut_off'],
  past: ['departed', 'completed'],
};

/**
 * The terms for allocating units. A sale requires open sales unless overridden; reinstating a sale, and selling units that were
 * held for the customer, only require that the departure has not started.
 */
export type SalesTerms = readonly SalesOverride[] | 'reinstatement' | 'held_before';

/** The sales states in which units are sold on these terms. */
export function acceptedStates(terms: SalesTerms): readonly SalesState[] {
  if (terms === 'reinstatement' || terms === 'held_before') return [...ON_SALE, 'closed', 'cut_off'];
  return [...ON_SALE, ...terms.flatMap((override) => OVERRIDDEN[override])];
}

/** Returns the presently decided end of sales; null if the departure was called off or cancelled, or staff have closed its sales. */
export function bookableUntil({ status, salesClosedAt, cutoffAt, startsAt }: SalesTimes): Date | null {
  if (status !== 'scheduled' || salesClosedAt !== null) return null;
  return cutoffAt !== null && cutoffAt < startsAt ? cutoffAt : startsAt;
}

/** SQL: the units of the pool of a departure. */
export const poolOf = (alias: string) => `${alias}.capacity - ${alias}.sold - ${alias}.held - ${alias}.guaranteed_open`;

/** SQL: the sales state of a departure at an instant, as the first state that applies. */
export const salesStateOf = (alias: string, now: string) => `case
  when ${alias}.status <> 'scheduled' then ${alias}.status
  when ${alias}.ends_at <= ${now} then 'completed'
  when ${alias}.starts_at <= ${now} then 'departed'
  when ${alias}.sales_closed_at is not null then 'closed'
  when ${alias}.cutoff_at <= ${now} then 'cut_off'
  when ${poolOf(alias)} <= 0 then 'sold_out'
  else 'open' end`;
