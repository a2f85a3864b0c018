import { Optional, Text } from '../../../platform/http/fields.js';

/** Optional reason for the cancellation of a departure. The body may be omitted. */
export class CancelDeparture {
  /**
   * Stored with the action ledger entry.
   * @example "The boat is in repair"
   */
  @Optional()
  @Text({ max: 2000, multiline: true })
  reason?: string;
}

/** Optional reason for a decision about a departure. The body may be omitted. */
export class DepartureDecision {
  /**
   * Stored with the action ledger entry.
   * @example "Two guides are ill"
   */
  @Optional()
  @Text({ max: 2000, multiline: true })
  reason?: string;
}
