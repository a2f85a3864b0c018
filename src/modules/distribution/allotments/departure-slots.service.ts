import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { type DepartureSummary, DepartureListener } from '../../operations/index.js';
import { AllotmentRows } from './allotment-rows.service.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import type { MovementCause } from './movements.service.js';
import { SlotRows } from './slot-rows.service.js';
import { Slots } from './slots.service.js';

/** Departures come, move and are called off; in the same transaction allotments gain and lose their parts of them. */
@Injectable()
@Listens(DepartureListener, 100)
export class DepartureSlots implements DepartureListener {
  constructor(
    private readonly allotments: AllotmentRows,
    private readonly rows: SlotRows,
    private readonly slots: Slots,
    private readonly clock: Clock,
  ) {}

  /** Throws 409 `capacity_exceeded` where it has fewer units than are guaranteed of it. */
  async created(departure: DepartureSummary): Promise<void> {
    if (departure.startsAt <= this.clock.now()) return;
    for (const allotment of await this.allotments.covering(departure.productId, departure.startDate)) {
      await this.slots.open(allotment, [departure]);
    }
  }

  async cancelled(departure: DepartureSummary): Promise<void> {
    await this.close(await this.rows.lockOfDeparture(departure.id), 'departure_cancelled');
  }

  /** Slots of allotments that do not reach it any more are closed: what is sold stays sold. */
  async moved(departure: DepartureSummary): Promise<void> {
    const { startsAt, startDate, timeZone } = departure;
    const slots = await this.rows.lockOfDeparture(departure.id);
    for (const slot of slots) Object.assign(slot, { startsAt, startDate, timeZone });
    await this.rows.store(slots);

    const allotments = await this.allotments.byIds(slots.map(({ allotmentId }) => allotmentId));
    const reached = new Set(allotments.filter((one) => one.covers(startDate)).map(({ id }) => id));
    await this.close(
      slots.filter(({ allotmentId }) => !reached.has(allotmentId)),
      'out_of_range',
    );
    for (const allotment of allotments) {
      const kept = slots.filter((slot) => slot.allotmentId === allotment.id && slot.closedAt === null);
      await this.slots.replan(allotment, kept);
    }
    await this.created(departure);
  }

  private async close(slots: readonly AllotmentSlot[], cause: MovementCause): Promise<void> {
    for (const allotment of await this.allotments.byIds(slots.map(({ allotmentId }) => allotmentId))) {
      const own = slots.filter(({ allotmentId }) => allotmentId === allotment.id);
      await this.slots.close(allotment, own, cause);
    }
  }
}
