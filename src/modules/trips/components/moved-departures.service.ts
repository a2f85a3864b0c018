import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { type DepartureSummary, DepartureListener } from '../../operations/index.js';
import { idIn } from '../reservations/job-payload.js';
import { ServiceDates } from './service-dates.service.js';

const FOLLOW_JOB = 'trips.departure-moved';

/** Trips that are not over yet, with a component that is not on the day on which its departure starts now. */
const LEFT_BEHIND = `
  select distinct t.id from trip_components c
  join departures d on d.id = c.departure_id join trip_envelopes t on t.id = c.envelope_id
  where c.departure_id = $1 and c.status not in ('booked', 'cancelled', 'removed') and c.service_date <> d.start_date
    and t.status not in ('booked', 'cancelled')
  order by t.id`;

/**
 * The components of a departure follow it to another day, also those of a trip that is reserved. A job does it, one trip
 * after the other: whoever changes a trip holds it before the departure, and who moves the departure holds that already.
 */
@Injectable()
@Listens(DepartureListener, 300)
export class MovedDepartures implements DepartureListener {
  constructor(
    private readonly dates: ServiceDates,
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  @Job(FOLLOW_JOB)
  async followMoved(payload: unknown): Promise<void> {
    await this.follow(idIn(payload, 'departureId'));
  }

  async moved({ id, startDate }: DepartureSummary, before: DepartureSummary): Promise<void> {
    if (startDate !== before.startDate) await this.jobs.add(FOLLOW_JOB, { departureId: id });
  }

  /**
   * However often it is called, and whatever the departure was moved to in between, components are where it is by now.
   * Throws where a trip is just being reserved, once all others have followed: the queue tries that one again.
   */
  async follow(departureId: string): Promise<void> {
    const left = await this.database.query<{ id: string }>(LEFT_BEHIND, [departureId]);
    const busy: string[] = [];
    for (const { id } of left) if (!(await this.dates.follow(id, departureId))) busy.push(id);
    if (busy.length > 0) throw new Error(`Being reserved, and so not moved with ${departureId}: ${busy.join(', ')}`);
  }
}
