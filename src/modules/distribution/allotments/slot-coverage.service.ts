import { Injectable } from '@nestjs/common';
import { conflict } from '../../../platform/errors/app-error.js';
import { DeparturesService } from '../../operations/index.js';
import type { Allotment } from './allotment.entity.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import { ReleasePlans } from './release-plans.service.js';
import type { ReleaseRule } from './release-rule.js';
import { SlotRows } from './slot-rows.service.js';
import { Slots, type Unsold } from './slots.service.js';

/** Which departures an allotment has slots on. The caller holds the product. */
@Injectable()
export class SlotCoverage {
  constructor(
    private readonly rows: SlotRows,
    private readonly slots: Slots,
    private readonly departures: DeparturesService,
    private readonly plans: ReleasePlans,
  ) {}

  /** Opens slots on all scheduled departures to come where there are none. Throws 409 `capacity_exceeded`. */
  async extend(allotment: Allotment, now: Date, slotId?: () => string): Promise<void> {
    const { productId, validFrom: from, validTo: to } = allotment;
    const coming = await this.departures.lockUpcoming(productId, { after: now, from, to });
    await this.slots.open(allotment, coming, slotId);
  }

  /** Closes the slots outside of the range. Throws 409 `allotment_has_sales`. */
  async shorten(allotment: Allotment): Promise<void> {
    const outside = (await this.rows.open(allotment.id)).filter(({ startDate }) => !allotment.covers(startDate));
    const held = await this.hold(outside);
    const sold = held.reduce((sum, slot) => sum + slot.sold, 0);
    if (sold > 0) throw hasSales('Units are sold on departures outside the new validity', sold);
    await this.slots.close(allotment, held, 'out_of_range');
  }

  /** Closes all slots. Throws 409 `allotment_has_sales`. Returns what went back. */
  async end(allotment: Allotment): Promise<Unsold[]> {
    const held = await this.hold(await this.rows.open(allotment.id));
    // Closed ones may have sales as well: of a departure that was moved out of the range.
    const sold = await this.rows.soldOf(allotment.id);
    if (sold > 0) throw hasSales('Units of the allotment are sold', sold);
    return this.slots.close(allotment, held, 'deleted');
  }

  /** The steps of the release from now on, on departures to come. */
  async setRelease(allotment: Allotment, release: ReleaseRule | null, now: Date): Promise<void> {
    const coming = (await this.rows.open(allotment.id)).filter(({ startsAt }) => startsAt > now);
    await this.plans.replace(allotment, release?.steps ?? [], coming);
  }

  /** Holds the departures of these slots, and then the slots as they are by then. */
  async hold(slots: readonly Pick<AllotmentSlot, 'id' | 'departureId'>[]): Promise<AllotmentSlot[]> {
    await this.departures.lock(slots.map(({ departureId }) => departureId));
    return this.rows.lock(slots.map(({ id }) => id));
  }
}

function hasSales(message: string, sold: number) {
  return conflict('allotment_has_sales', message, { sold });
}
