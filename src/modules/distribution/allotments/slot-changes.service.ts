import { Injectable } from '@nestjs/common';
import { conflict } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { AllotmentJournal } from './allotment-journal.js';
import { AllotmentRows } from './allotment-rows.service.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import { SlotCoverage } from './slot-coverage.service.js';
import { toSlotFacts } from './slot.dto.js';
import { SlotRows } from './slot-rows.service.js';
import { Slots } from './slots.service.js';

/** A slot by its path, and the versions of it that a change is meant for. */
export interface SlotTarget {
  id: string;
  slotId: string;
  expected: ExpectedVersions;
}

/** What staff do with single slots. */
@Injectable()
export class SlotChanges {
  constructor(
    private readonly allotments: AllotmentRows,
    private readonly rows: SlotRows,
    private readonly coverage: SlotCoverage,
    private readonly slots: Slots,
    private readonly journal: AllotmentJournal,
  ) {}

  /** Throws 404, 409 `capacity_exceeded`, `slot_closed`, `departure_cancelled`, 412. */
  async resize({ id, slotId, expected }: SlotTarget, allotted: number): Promise<AllotmentSlot> {
    return this.allotments.change(id, null, async ({ allotment }) => {
      const [slot] = await this.coverage.hold([await this.rows.get(id, slotId)]);
      if (!slot) throw new Error(`Slot ${slotId} is gone, though slots are never deleted`);
      assertVersion(expected, slot);
      const before = toSlotFacts(slot);
      assertRoom(slot, allotted);
      await this.slots.resize(allotment, slot, allotted);
      this.journal.slot(allotment, slot, before);
      return slot;
    });
  }
}

function assertRoom({ departureId, startDate, closedAt, sold, released }: AllotmentSlot, allotted: number): void {
  if (closedAt !== null) {
    throw conflict('slot_closed', 'The slot is closed: its departure is cancelled or outside the validity', {
      departureId,
      startDate,
    });
  }
  if (allotted >= sold + released) return;
  const details = { available: 0, sold, released, lowestAllotted: sold + released };
  throw conflict('capacity_exceeded', 'allotted must not be below sold plus released units', details);
}
