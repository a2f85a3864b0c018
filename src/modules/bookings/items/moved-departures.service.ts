import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { type DepartureFacts, DepartureListener } from '../../operations/index.js';
import { BookingItems } from './booking-items.service.js';
import { departureIn } from './departure-in.js';
import type { ItemPlace } from './item-rows.service.js';

const FOLLOW_JOB = 'bookings.departure-moved';

/** Those that are still to be delivered, and not on the day on which the departure starts now. */
const LEFT_BEHIND = `
  select i.booking_id as "bookingId", i.id as "itemId", d.start_date as "serviceDate"
  from booking_items i join departures d on d.id = i.departure_id join bookings b on b.id = i.booking_id
  where i.departure_id = $1 and i.status = 'confirmed' and i.service_date is distinct from d.start_date
    and b.status in ('draft', 'confirmed', 'in_progress')
  order by i.booking_id, i.id`;

/**
 * The items of a departure follow it to another day. A job does it, one booking after the other: whoever changes an item
 * holds its booking before the departure, and who moves the departure holds that already.
 */
@Injectable()
@Listens(DepartureListener, 200)
export class MovedDepartures implements DepartureListener {
  constructor(
    private readonly items: BookingItems,
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  @Job(FOLLOW_JOB)
  async followMoved(payload: unknown): Promise<void> {
    await this.follow(departureIn(payload));
  }

  async moved({ id, startDate }: DepartureFacts, before: DepartureFacts): Promise<void> {
    if (startDate !== before.startDate) await this.jobs.add(FOLLOW_JOB, { departureId: id });
  }

  /**
   * However often it is called, and whatever the departure was moved to in between, items are where it is by now. Throws
   * where some could not follow, once all others have: the queue tries those again.
   */
  async follow(departureId: string): Promise<void> {
    const left = await this.database.query<ItemPlace & { serviceDate: string }>(LEFT_BEHIND, [departureId]);
    const faults: unknown[] = [];
    for (const { serviceDate, ...place } of left) {
      const following = this.items.update({ ...place, expected: null }, { serviceDate }, 'The departure was moved');
      await following.catch((fault: unknown) => faults.push(fault));
    }
    if (faults.length > 0) throw new AggregateError(faults, `${faults.length} items could not follow ${departureId}`);
  }
}
