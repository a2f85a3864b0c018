import type { CustomerCopy } from './customer-copy.js';

export const MOVED_RECORDS = [
  'agency_terms',
  'attachment',
  'booking',
  'booking_traveler',
  'note',
  'task',
  'trip',
  'waiting_entry',
] as const;
export type MovedRecordType = (typeof MOVED_RECORDS)[number];

/** A record that belonged to a duplicate and now belongs to the customer that replaces it. */
export interface MovedRecord {
  type: MovedRecordType;
  id: string;
  /** The duplicate. */
  customerId: string;
}

/**
 * Called for changes of a customer, in their transaction and with the customer locked. An error rejects the change.
 * Implementations declare `@Listens(CustomerListener, ...)`.
 */
export abstract class CustomerListener {
  /** The name or a contact that other records copy has changed. */
  changed?(before: CustomerCopy, after: CustomerCopy): Promise<void>;
  /** The customer is about to be archived. */
  archiving?(customerId: string): Promise<void>;
  /** The customer no longer consents to the use of health data. */
  healthConsentWithdrawn?(customerId: string): Promise<void>;
  /** Moves the records of the duplicates to the customer. */
  merged?(customerId: string, duplicateIds: readonly string[]): Promise<MovedRecord[]>;
  /** Moves the records back. Throws 409 if one of them has moved again. */
  separated?(customerId: string, records: readonly MovedRecord[]): Promise<void>;
}
