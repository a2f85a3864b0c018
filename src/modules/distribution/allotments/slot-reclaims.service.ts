import { Injectable } from '@nestjs/common';
import { conflict } from '../../../platform/errors/app-error.js';
import { DeparturesService } from '../../operations/index.js';
import type { Allotment } from './allotment.entity.js';
import type { GivenBack } from './given-back.dto.js';
import { SlotRows } from './slot-rows.service.js';
import { Slots, type Unsold } from './slots.service.js';
import { type SlotFacts, toSlotFacts } from './slot.dto.js';

/** What was had back, and of what. */
export interface Reclaimed {
  before: SlotFacts[];
  after: SlotFacts[];
  /** Some of the departures have left, or were cancelled: their units stay where they are. */
  isPartial: boolean;
}

/** How units that an allotment gave back are had again. The caller holds the product. */
@Injectable()
export class SlotReclaims {
  constructor(
    private readonly rows: SlotRows,
    private readonly slots: Slots,
    private readonly departures: DeparturesService,
  ) {}

  /**
   * Throws 409 `departures_gone` where none of them is still to come, `slot_closed` where `isMeant` refuses a slot,
   * `units_reclaimed`, `capacity_exceeded`.
   */
  async reclaim(
    allotment: Allotment,
    { slots: given, unsoldAction = 'release_to_general_pool' }: GivenBack,
    { now, isMeant }: { now: Date; isMeant: (slot: Unsold['slot']) => boolean },
  ): Promise<Reclaimed> {
    const { productId, validFrom: from, validTo: to } = allotment;
    const coming = await this.departures.lockUpcoming(productId, { after: now, from, to });
    const ids = new Set(coming.map(({ id }) => id));
    const open = given.filter(({ departureId }) => ids.has(departureId));
    if (given.length > 0 && open.length === 0) {
      const departureIds = given.map(({ departureId }) => departureId);
      throw conflict('departures_gone', 'The departures have started or were cancelled', { departureIds });
    }
    const held = await this.rows.lock(open.map(({ slotId }) => slotId));
    const before = held.map(toSlotFacts);
    const closed = held.filter((slot) => !isMeant(slot));
    if (closed.length > 0) {
      throw conflict('slot_closed', 'The slot was closed in the meantime', { slotIds: closed.map(({ id }) => id) });
    }
    const units = new Map(open.map((one) => [one.slotId, one.units]));
    const unsold = held.map((slot) => ({ slot, units: units.get(slot.id) ?? 0 }));
    await this.slots.reclaim(allotment, unsold, unsoldAction);
    return { before, after: held.map(toSlotFacts), isPartial: open.length < given.length };
  }
}
