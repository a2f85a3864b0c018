import type { DepartureFacts } from './departure-facts.js';

/**
 * Called for changes of a departure by staff, in their transaction, with the departure stored and locked and its product
 * locked by `Departures.holdProduct`. An error rejects the change. Implementations declare `@Listens(DepartureListener, ...)`.
 */
export abstract class DepartureListener {
  created?(departure: DepartureFacts): Promise<void>;
  /** Nothing of it is sold or reserved; guaranteed units must be released here. */
  cancelled?(departure: DepartureFacts): Promise<void>;
  /** It starts at another instant or in another time zone. */
  moved?(departure: DepartureFacts, before: DepartureFacts): Promise<void>;
}
