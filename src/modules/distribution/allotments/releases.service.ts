import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/app-error.js';
import { AllotmentJournal } from './allotment-journal.js';
import type { ReleasedUnits } from './allotment-response.dto.js';
import { AllotmentRows } from './allotment-rows.service.js';
import { keptByHand, unitsToRelease } from './release-rule.js';
import { SlotCoverage } from './slot-coverage.service.js';
import { SlotRows } from './slot-rows.service.js';
import { Slots } from './slots.service.js';

/** Releases by hand. */
@Injectable()
export class Releases {
  constructor(
    private readonly allotments: AllotmentRows,
    private readonly rows: SlotRows,
    private readonly coverage: SlotCoverage,
    private readonly slots: Slots,
    private readonly journal: AllotmentJournal,
  ) {}

  /** What is not sold, of one departure or of all to come; the steps of a manual rule say what the channel keeps. Throws 404. */
  async release(id: string, departureId?: string): Promise<ReleasedUnits> {
    return this.allotments.change(id, null, async ({ allotment, release }, now) => {
      const open = await this.rows.open(id);
      const meant = open.filter((slot) => (departureId ? slot.departureId === departureId : slot.startsAt > now));
      if (departureId !== undefined && meant.length === 0) throw notFound({ field: 'departureId' });
      const held = await this.coverage.hold(meant);
      const unsold = held.map((slot) => ({ slot, units: unitsToRelease(slot, keptByHand(release, slot, now)) }));
      await this.slots.release(allotment, unsold, 'hand');
      this.journal.released(allotment, unsold, 'hand');
      return {
        allotmentId: id,
        unsoldAction: allotment.unsoldAction ?? 'release_to_general_pool',
        units: unsold.reduce((sum, { units }) => sum + units, 0),
        slots: unsold.filter(({ units }) => units > 0).length,
      };
    });
  }
}
