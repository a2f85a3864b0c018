import { Flag } from './fields.js';

/** Confirms a deletion. The response does not contain the deleted resource. */
export class Deleted {
  /**
   * Always true: a DELETE that fails returns an error.
   * @example true
   */
  @Flag()
  success: true;
}
