import type { DepartureSummary } from './departure-summary.js';

/**
 * Called for changes of a departure by staff, in their transaction, with the departure stored and locked and its product
 * locked by `DeparturesService.lockProduct`. An error rejects the change. Implementations declare `@Listens(DepartureListener, ...)`.
 */
export abstract class DepartureListener {
  created?(departure: DepartureSummary): Promise<void>;
  /** No units are sold or held; implementations release guaranteed units. */
  cancelled?(departure: DepartureSummary): Promise<void>;
  /** It starts at another instant or in another time zone. */
  moved?(departure: DepartureSummary, before: DepartureSummary): Promise<void>;
}
