import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { type CustomerCopy, CustomerListener, CustomersService, type MovedRecord } from '../../customers/index.js';
import { COPIES } from './booking.entity.js';
import { BookingsService } from './bookings.service.js';
import { BOOKINGS_OF_JOB, FollowCustomer } from './stale-copies.dto.js';

const FOLLOW_JOB = 'bookings.follow-customer';

/** Bookings follow their customer. */
@Injectable()
@Listens(CustomerListener, 10)
export class BookingCustomerListener implements CustomerListener {
  constructor(
    private readonly bookings: BookingsService,
    private readonly customers: CustomersService,
    private readonly jobs: Jobs,
  ) {}

  /** The transaction of the change copies it into the first bookings, jobs into the others: an agency has thousands. */
  async changed(before: CustomerCopy, after: CustomerCopy): Promise<void> {
    const members = COPIES.filter(([, source]) => before[source] !== after[source]).map(([member]) => member);
    const copies = await this.bookings.staleCopies(before, members);
    await this.bookings.followCustomer(after, copies.slice(0, BOOKINGS_OF_JOB));
    const jobs = [];
    for (let first = BOOKINGS_OF_JOB; first < copies.length; first += BOOKINGS_OF_JOB) {
      const payload = { customerId: after.id, copies: copies.slice(first, first + BOOKINGS_OF_JOB) };
      jobs.push({ name: FOLLOW_JOB, payload });
    }
    await this.jobs.addAll(jobs);
  }

  @Job(FOLLOW_JOB)
  async follow(payload: unknown): Promise<void> {
    const { customerId, copies } = await checkedAs(FollowCustomer, typeof payload === 'object' ? payload : null);
    await this.bookings.followCustomer(await this.customers.getCopy(customerId), copies);
  }

  async archiving(customerId: string): Promise<void> {
    await this.bookings.assertNoOpenOf(customerId);
  }

  async merged(customerId: string, duplicateIds: readonly string[]): Promise<MovedRecord[]> {
    const moved = await this.bookings.moveToCustomer(customerId, duplicateIds);
    return moved.map((record) => ({ type: 'booking', ...record }));
  }

  async separated(customerId: string, records: readonly MovedRecord[]): Promise<void> {
    await this.bookings.moveBack(customerId, records);
  }
}
