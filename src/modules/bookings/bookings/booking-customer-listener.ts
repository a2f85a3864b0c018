import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { SealingKeys } from '../../../platform/keys/sealing-keys.js';
import { type CustomerCopy, CustomerListener, CustomersService, type MovedRecord } from '../../customers/index.js';
import { AgencyTermsService } from '../agencies/agency-terms.service.js';
import { COPIES } from './booking.entity.js';
import { BookingsService } from './bookings.service.js';
import { BOOKINGS_OF_JOB, FollowCustomer } from './stale-copies.dto.js';

const FOLLOW_JOB = 'bookings.follow-customer';
const PURPOSE = 'copies-of-customers';
/** A job is repeated for up to three days; a key may have been replaced meanwhile. */
const CODE_SECONDS = 7 * 24 * 3600;

/** Bookings follow their customer. */
@Injectable()
@Listens(CustomerListener, 10)
export class BookingCustomerListener implements CustomerListener {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly customers: CustomersService,
    private readonly agencies: AgencyTermsService,
    private readonly sealingKeys: SealingKeys,
    private readonly jobs: Jobs,
  ) {}

  /** The transaction of the change copies it into the first bookings, jobs into the others: an agency has thousands. */
  async changed(before: CustomerCopy, after: CustomerCopy): Promise<void> {
    const changes = COPIES.filter(([, source]) => before[source] !== after[source]);
    const former = new Map(changes.map(([member, source]) => [member, before[source]]));
    const stale = await this.bookings.staleCopies(before, [...former.keys()]);
    const first = stale.slice(0, BOOKINGS_OF_JOB);
    await this.bookings.followCustomer(after, first, (member, value) => former.get(member) === value);
    const codes = [...former].map(([member, value]) => `${member}:${this.codesOf(value)[0] ?? ''}`);
    const jobs = [];
    for (let next = BOOKINGS_OF_JOB; next < stale.length; next += BOOKINGS_OF_JOB) {
      const payload = { customerId: after.id, bookingIds: stale.slice(next, next + BOOKINGS_OF_JOB), former: codes };
      jobs.push({ name: FOLLOW_JOB, payload });
    }
    await this.jobs.addAll(jobs);
  }

  /** Copies the present values, which may be newer than those of the change that added the job. */
  @Job(FOLLOW_JOB)
  async follow(payload: unknown): Promise<void> {
    const job = await checkedAs(FollowCustomer, typeof payload === 'object' ? payload : null);
    await this.database.transaction(async () => {
      const { copy } = await this.customers.lockShared(job.customerId);
      await this.bookings.followCustomer(copy, job.bookingIds, (member, value) =>
        this.codesOf(value).some((code) => job.former.includes(`${member}:${code}`)),
      );
    });
  }

  async archiving(customerId: string): Promise<void> {
    await this.bookings.assertNoOpenOf(customerId);
  }

  async merged(customerId: string, duplicateIds: readonly string[]): Promise<MovedRecord[]> {
    const moved = await this.bookings.moveToCustomer(customerId, duplicateIds);
    const agency = await this.agencies.moveToCustomer(customerId, duplicateIds);
    return [
      ...moved.map((record) => ({ type: 'booking', ...record }) as const),
      ...(agency === null ? [] : [{ type: 'agency_terms', id: agency, customerId: agency } as const]),
    ];
  }

  async separated(customerId: string, records: readonly MovedRecord[]): Promise<void> {
    const bookings = records.filter(({ type }) => type === 'booking');
    await this.bookings.moveBack(customerId, bookings);
    for (const { type, id } of records) if (type === 'agency_terms') await this.agencies.moveBack(customerId, id);
  }

  private codesOf(value: string | null): string[] {
    const text = Buffer.from(JSON.stringify(value));
    return this.sealingKeys.codesOf(PURPOSE, text, CODE_SECONDS).map((code) => code.toString('hex'));
  }
}
