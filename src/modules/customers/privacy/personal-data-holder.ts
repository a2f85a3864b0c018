import type { PersonalData } from '../../../platform/database/table-declarations.js';

/** A booking of the person, and the last day for which its data is kept. */
export interface PersonBooking {
  readonly id: string;
  readonly keptUntil: string;
}

/** The person whose data is exported or erased. */
export interface Person {
  /** The customer, and the duplicates that were merged into it. */
  readonly customerIds: readonly string[];
  readonly names: readonly string[];
  /** In lower case. */
  readonly emails: readonly string[];
  /** Bookings that belong to the customer. */
  readonly bookings: readonly PersonBooking[];
}

/** Records of one kind about a person. */
export interface HeldData {
  readonly dataClass: PersonalData;
  /** Kind of the records, such as `bookings`. */
  readonly kind: string;
  /** Last day of the retention period for which an erasure keeps them; null if it erases them at once. */
  readonly keptUntil: string | null;
  readonly records: readonly object[];
}

export const ERASURE_BLOCKERS = ['future_service', 'balance_open', 'credit_open'] as const;
export type ErasureBlocker = (typeof ERASURE_BLOCKERS)[number];

/**
 * Data about persons in one module. Each module that stores persons declares one implementation with
 * `@Listens(PersonalDataHolder, ...)`. Data of other persons is neither returned nor erased.
 */
export abstract class PersonalDataHolder {
  /** Name of the module. */
  abstract readonly module: string;

  /** The bookings of these customers. */
  bookingsOf?(customerIds: readonly string[]): Promise<PersonBooking[]>;

  /** Reasons that prevent an erasure now. */
  blockersOf?(person: Person): Promise<ErasureBlocker[]>;

  /** All data of the person; an export needs sealed values opened. */
  abstract collect(person: Person, options: { opensSealed: boolean }): Promise<HeldData[]>;

  /** Erases what `collect` returns without `keptUntil`, also in the ledger. Repeatable. Returns the number of records. */
  abstract erase(person: Person): Promise<number>;
}

/** The ids of the person's bookings. */
export function bookingIdsOf({ bookings }: Person): string[] {
  return bookings.map(({ id }) => id);
}

/** The latest of these days; null without any. */
export function latestOf(days: readonly (string | null)[]): string | null {
  return days.reduce((latest, day) => (latest === null || (day !== null && day > latest) ? day : latest), null);
}
