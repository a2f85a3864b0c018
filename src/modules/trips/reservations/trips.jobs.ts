import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { type DepartureFollowers, type DepartureSummary, DepartureListener } from '../../operations/index.js';
import { ExternalOrdersService } from '../orders/external-orders.service.js';
import { ORDERS_JOB } from '../attempts/reservation-attempts.service.js';
import { RECOVER_JOB, ReservationSaga } from '../attempts/reservation-saga.js';
import { ReservationsService } from './reservations.service.js';
import { TripComponentsService } from '../envelopes/trip-components.service.js';

const DEPARTURE_MOVED_JOB = 'trips.departure-moved';

/**
 * Background work of trips. A job moves trips with their departure, because a change of a component locks its trip before the
 * departure, and the transaction that moves the departure has already locked the departure.
 */
@Injectable()
@Listens(DepartureListener, 300)
export class TripJobs implements DepartureListener {
  constructor(
    private readonly reservations: ReservationsService,
    private readonly saga: ReservationSaga,
    private readonly orders: ExternalOrdersService,
    private readonly components: TripComponentsService,
    private readonly jobs: Jobs,
  ) {}

  @Cron('trips.sweep', '* * * * *')
  async sweep(): Promise<void> {
    await this.reservations.sweep();
  }

  @Job(RECOVER_JOB)
  async recover(payload: unknown): Promise<void> {
    await this.saga.recover(idIn(payload, 'tripId'));
  }

  @Job(ORDERS_JOB)
  async callProviders(): Promise<void> {
    await this.orders.settleDue();
  }

  async followers(departureId: string): Promise<DepartureFollowers> {
    const total = await this.components.countTripsOn(departureId);
    return { kind: 'trip', total, pendingIds: await this.components.listTripsNotOnDayOf(departureId) };
  }

  async optionsInUse(departureId: string): Promise<string[]> {
    return this.components.listHeldOptions(departureId);
  }

  async moved({ id, startDate }: DepartureSummary, before: DepartureSummary): Promise<void> {
    if (startDate !== before.startDate) await this.jobs.add(DEPARTURE_MOVED_JOB, { departureId: id });
  }

  @Job(DEPARTURE_MOVED_JOB)
  async followDeparture(payload: unknown): Promise<void> {
    await this.components.followDeparture(idIn(payload, 'departureId'));
  }
}

/** Throws if the payload has no id of this name: only this module adds these jobs. */
function idIn(payload: unknown, name: string): string {
  const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;
  if (typeof id !== 'string') throw new Error(`The payload has no ${name}`);
  return id;
}
