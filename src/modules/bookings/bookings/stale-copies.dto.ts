import { Id, Texts } from '../../../platform/http/fields.js';

/** Bookings into which one job copies the customer. */
export const BOOKINGS_OF_JOB = 200;

/** The payload of a job. It contains no personal data: former values are compared by their authentication codes. */
export class FollowCustomer {
  @Id('cus')
  customerId: string;

  @Texts({ min: 1, max: BOOKINGS_OF_JOB, maxLength: 100 })
  bookingIds: string[];

  /** For each member of the customer that changed, its name, a colon and the code of its former value. */
  @Texts({ min: 1, max: 5, maxLength: 100 })
  former: string[];
}
