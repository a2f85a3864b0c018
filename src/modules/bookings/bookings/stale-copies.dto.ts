import { Id, ListOf, Texts, Whole } from '../../../platform/http/fields.js';
import { patternOf } from '../../../platform/validation/word-pattern.js';
import { COPIES, type CopiedMember } from './booking.entity.js';

/** Bookings that one job copies the customer into. */
export const BOOKINGS_OF_JOB = 200;

const MEMBERS = COPIES.map(([member]) => member);

class StaleCopyBody {
  @Id('book')
  id: string;

  @Whole({ min: 1, max: 2_147_483_647 })
  version: number;

  @Texts({ min: 1, max: MEMBERS.length, maxLength: 20, pattern: patternOf(MEMBERS) })
  members: CopiedMember[];
}

/** The payload of a job; it contains no personal data. */
export class FollowCustomer {
  @Id('cus')
  customerId: string;

  @ListOf(() => StaleCopyBody, { max: BOOKINGS_OF_JOB })
  copies: StaleCopyBody[];
}
