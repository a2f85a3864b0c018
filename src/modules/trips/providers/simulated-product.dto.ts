import { Cents, Flag, Nested, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode } from '../../../platform/http/trade-fields.js';

/**
 * Of a request to hold: `lose_request` never reaches the provider; `lose_answer` is held, but the answer is an error;
 * `never_answer` is held, and the call never ends.
 */
export const HOLD_BEHAVIOURS = ['accept', 'refuse', 'lose_request', 'lose_answer', 'never_answer'] as const;

/** Of a confirmation or a cancellation; `fail` has no effect at the provider. */
const ORDER_BEHAVIOURS = ['accept', 'refuse', 'fail', 'lose_answer', 'never_answer'] as const;
type OrderBehaviour = (typeof ORDER_BEHAVIOURS)[number];

export class SimulatedBehaviour {
  /** Price of one unit. */
  @Cents()
  priceCents: number;

  @Optional()
  @Cents()
  taxIncludedCents?: number;

  @CurrencyCode()
  currency: string;

  /** Number of units that can be held at the same time; unlimited unless given. */
  @Optional()
  @Whole({ min: 0, max: 1_000_000 })
  units?: number;

  @Optional()
  @Whole({ min: 1, max: 86_400 })
  holdSeconds?: number;

  @Optional()
  @Cents()
  cancellationCents?: number;

  /** How long each call takes, in milliseconds. */
  @Optional()
  @Whole({ min: 0, max: 60_000 })
  delayMs?: number;

  @Optional()
  @OneOf(HOLD_BEHAVIOURS)
  hold?: (typeof HOLD_BEHAVIOURS)[number];

  @Optional()
  @Flag()
  refusesConfirmation?: boolean;

  @Optional()
  @OneOf(ORDER_BEHAVIOURS)
  confirm?: OrderBehaviour;

  @Optional()
  @OneOf(ORDER_BEHAVIOURS)
  cancel?: OrderBehaviour;

  /** Fee for the cancellation of a confirmed order. */
  @Optional()
  @Cents()
  cancelFeeCents?: number;

  /** How long a quote takes in addition, in milliseconds. */
  @Optional()
  @Whole({ min: 0, max: 60_000 })
  quoteDelayMs?: number;

  /** Whether lookups are answered by an error. */
  @Optional()
  @Flag()
  failsLookup?: boolean;

  /** Whether releases are answered by an error. */
  @Optional()
  @Flag()
  failsRelease?: boolean;
}

/** A product of the built-in provider, and how the provider behaves when asked for it. */
export class SimulatedProduct {
  @Text({ max: 200 })
  ref: string;

  @Nested(() => SimulatedBehaviour)
  behaviour: SimulatedBehaviour;
}
