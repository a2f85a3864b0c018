import { Flag } from './fields.js';

/** The resource is deleted. A DELETE that leaves the resource readable answers with it instead. */
export class Deleted {
  /**
   * Always true: a DELETE that fails answers with an error.
   * @example true
   */
  @Flag()
  success: true;
}
