import { Injectable, type OnModuleInit } from '@nestjs/common';
import { conflict } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/checked-as.js';
import { assertUnchangedSince, type RecordedAction, Reversals, type Undone } from '../../action-ledger/index.js';
import { AllotmentJournal } from './allotment-journal.js';
import { AllotmentRestoration } from './allotment-restoration.service.js';
import { toAllotment } from './allotment-response.dto.js';
import { AllotmentRows } from './allotment-rows.service.js';
import { GivenBack } from './given-back.dto.js';
import { SlotReclaims } from './slot-reclaims.service.js';

/** How what was done to allotments is undone. */
@Injectable()
export class AllotmentUndos implements OnModuleInit {
  constructor(
    private readonly reversals: Reversals,
    private readonly rows: AllotmentRows,
    private readonly restoration: AllotmentRestoration,
    private readonly reclaims: SlotReclaims,
    private readonly journal: AllotmentJournal,
  ) {}

  onModuleInit(): void {
    this.reversals.register('distribution.allotment.delete', { reverse: (entry) => this.restore(entry) });
    this.reversals.register('distribution.allotment.release', { reverse: (entry) => this.reclaim(entry) });
  }

  /**
   * Throws 409 `changed_since`, `allotment_overlap`, `channel_archived`, `units_not_recorded`, and what is thrown by
   * reclaiming its units.
   */
  private async restore(entry: RecordedAction): Promise<Undone> {
    assertRecorded(entry);
    const given = await checkedAs(GivenBack, entry.after);
    return this.rows.changeDeleted(entry.subjectId, async (view, now) => {
      const { allotment } = view;
      assertUnchangedSince(entry, allotment);
      const before = { id: allotment.id, deletedAt: allotment.deletedAt?.toISOString() ?? null };
      const { after, isPartial } = await this.restoration.restore(allotment, given, now);
      this.journal.reclaimed(allotment);
      return { before, after: { ...toAllotment(view), slots: after }, outcome: isPartial ? 'partial' : 'full' };
    });
  }

  /**
   * Throws 404 where the allotment is deleted, 409 `nothing_released`, `units_not_recorded`, and what is thrown by
   * reclaiming its units.
   */
  private async reclaim(entry: RecordedAction): Promise<Undone> {
    assertRecorded(entry);
    const { slots, unsoldAction } = await checkedAs(GivenBack, entry.after);
    const given = slots.filter(({ units }) => units > 0);
    if (unsoldAction === 'retain' || given.length === 0) {
      throw conflict('nothing_released', 'No units were released', { unsoldAction });
    }
    return this.rows.change(entry.subjectId, null, async ({ allotment }, now) => {
      const isMeant = ({ closedAt }: { closedAt: Date | null }) => closedAt === null;
      const released = { slots: given, ...(unsoldAction ? { unsoldAction } : {}) };
      const { before, after, isPartial } = await this.reclaims.reclaim(allotment, released, { now, isMeant });
      this.journal.reclaimed(allotment);
      return { before: { slots: before }, after: { slots: after }, outcome: isPartial ? 'partial' : 'full' };
    });
  }
}

/** Entries of an earlier release say how many units went back, and not which: nobody guesses what to have again. */
function assertRecorded({ subjectId, after }: RecordedAction): void {
  if (Array.isArray(after?.['slots'])) return;
  const why = 'The entry does not record which units were released; create a new allotment';
  throw conflict('units_not_recorded', why, { allotmentId: subjectId });
}
