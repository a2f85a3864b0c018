import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { DepartureListener, type DepartureMove, type DepartureSummary } from '../../operations/index.js';
import { AllotmentsRepository } from './allotments.repository.js';
import { ReleasesService } from './releases.service.js';
import { SlotOpeningsService } from './slot-openings.service.js';

const BATCH = 100;

/** Background work of allotments: due release steps, and changes of departures. */
@Injectable()
@Listens(DepartureListener, 100)
export class AllotmentJobs implements DepartureListener {
  constructor(
    private readonly releases: ReleasesService,
    private readonly openings: SlotOpeningsService,
    private readonly repository: AllotmentsRepository,
    private readonly clock: Clock,
  ) {}

  /** A step that was due while no process ran is executed by the next run. */
  @Cron('distribution.allotment-releases', '* * * * *')
  async releaseUnsold(): Promise<void> {
    for (const productId of await this.repository.listDueProducts(this.clock.now())) {
      while ((await this.releases.releaseDue(productId, BATCH)) === BATCH);
    }
  }

  /** Fails if allotments guarantee more units than the departure has. */
  async created(departure: DepartureSummary): Promise<void> {
    if (departure.startsAt > this.clock.now()) await this.openings.openDeparture(departure);
  }

  async calledOff({ id }: DepartureSummary): Promise<void> {
    await this.openings.closeDeparture(id);
  }

  async cancelled({ id }: DepartureSummary): Promise<void> {
    await this.openings.closeDeparture(id);
  }

  /** Fails if the departure has fewer units than the slots that return. */
  async reinstated(departure: DepartureSummary): Promise<void> {
    await this.openings.followDeparture(departure, 'reject');
  }

  /** Fails if the pool has fewer units than the slots that return. */
  async moved(departure: DepartureSummary, _before: DepartureSummary, move: DepartureMove): Promise<void> {
    move.warnings.push(...(await this.openings.followDeparture(departure, move.onShortage)));
  }
}
