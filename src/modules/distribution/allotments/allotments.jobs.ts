import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { DepartureListener, type DepartureSummary } from '../../operations/index.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import { AllotmentsRepository } from './allotments.repository.js';
import { AllotmentsService } from './allotments.service.js';
import { type MovementCause, SlotsRepository } from './slots.repository.js';
import { SlotsService } from './slots.service.js';

const BATCH = 100;

/** Background work of allotments: due release steps, and changes of departures. */
@Injectable()
@Listens(DepartureListener, 100)
export class AllotmentJobs implements DepartureListener {
  constructor(
    private readonly allotments: AllotmentsService,
    private readonly slots: SlotsService,
    private readonly repository: AllotmentsRepository,
    private readonly slotsRepository: SlotsRepository,
    private readonly clock: Clock,
  ) {}

  /** A step that was due while no process ran is executed by the next run. */
  @Cron('distribution.allotment-releases', '* * * * *')
  async releaseUnsold(): Promise<void> {
    for (const productId of await this.repository.listDueProducts(this.clock.now())) {
      while ((await this.allotments.releaseDue(productId, BATCH)) === BATCH);
    }
  }

  /** Throws 409 `capacity_exceeded` if allotments guarantee more units than the departure has. */
  async created(departure: DepartureSummary): Promise<void> {
    if (departure.startsAt <= this.clock.now()) return;
    for (const allotment of await this.repository.listCovering(departure.productId, departure.startDate)) {
      await this.slots.open(allotment, [departure]);
    }
  }

  async cancelled(departure: DepartureSummary): Promise<void> {
    await this.close(await this.slotsRepository.lockOfDeparture(departure.id), 'departure_cancelled');
  }

  /** Closes the slots of allotments that do not cover the departure any more; sold units stay sold. */
  async moved(departure: DepartureSummary): Promise<void> {
    const { startsAt, startDate, timeZone } = departure;
    const slots = await this.slotsRepository.lockOfDeparture(departure.id);
    for (const slot of slots) Object.assign(slot, { startsAt, startDate, timeZone });
    await this.slotsRepository.save(slots);

    const allotments = await this.repository.listByIds(slots.map(({ allotmentId }) => allotmentId));
    const covering = new Set(allotments.filter((allotment) => allotment.covers(startDate)).map(({ id }) => id));
    const uncovered = slots.filter(({ allotmentId }) => !covering.has(allotmentId));
    await this.close(uncovered, 'out_of_range');
    for (const allotment of allotments) {
      const open = slots.filter((slot) => slot.allotmentId === allotment.id && slot.closedAt === null);
      await this.repository.planSteps(allotment, open);
    }
    await this.created(departure);
  }

  private async close(slots: readonly AllotmentSlot[], cause: MovementCause): Promise<void> {
    for (const allotment of await this.repository.listByIds(slots.map(({ allotmentId }) => allotmentId))) {
      const own = slots.filter(({ allotmentId }) => allotmentId === allotment.id);
      await this.slots.close(allotment, own, cause);
    }
  }
}
