import { Injectable } from '@nestjs/common';
import { conflict } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertUnchangedSince, type RecordedAction, Reverses, type ReversalResult } from '../../action-ledger/index.js';
import { AllotmentsService } from './allotments.service.js';
import { RecordedRelease } from './slot.dto.js';

/** Reverses ledger entries of allotments. Both reversals also throw the errors of reclaiming units. */
@Injectable()
export class AllotmentReversals {
  constructor(private readonly allotments: AllotmentsService) {}

  /** Throws 409 `changed_since`, `allotment_overlap`, `channel_archived`, `units_not_recorded`. */
  @Reverses('distribution.allotment.delete')
  async reverseDeletion(entry: RecordedAction): Promise<ReversalResult> {
    const released = await releaseIn(entry);
    return this.allotments.restore(entry.subjectId, released, (allotment) => assertUnchangedSince(entry, allotment));
  }

  /** Throws 404 if the allotment is deleted, 409 `nothing_released`, `units_not_recorded`. */
  @Reverses('distribution.allotment.release')
  async reverseRelease(entry: RecordedAction): Promise<ReversalResult> {
    const released = await releaseIn(entry);
    const { unsoldAction } = released;
    const slots = released.slots.filter(({ units }) => units > 0);
    if (unsoldAction === 'retain' || slots.length === 0) {
      throw conflict('nothing_released', 'No units were released', { unsoldAction });
    }
    return this.allotments.reclaim(entry.subjectId, { ...released, slots });
  }
}

/** Old entries contain only the number of units, from which a reversal cannot know the slots. */
async function releaseIn({ subjectId, after }: RecordedAction): Promise<RecordedRelease> {
  if (Array.isArray(after?.['slots'])) return checkedAs(RecordedRelease, after);
  throw conflict('units_not_recorded', 'The entry does not record which units were released; create a new allotment', {
    allotmentId: subjectId,
  });
}
