import { Injectable } from '@nestjs/common';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertUnchangedSince, type RecordedAction, Reverses, type ReversalResult } from '../../action-ledger/index.js';
import { FacilitiesService } from './facilities.service.js';
import { UpdateFacility } from './facility.dto.js';

/** Reverses ledger entries of facilities. */
@Injectable()
export class FacilityReversals {
  constructor(private readonly facilities: FacilitiesService) {}

  /** Throws 409 `changed_since`, `facility_archived`, `facility_code_taken`, `facility_cycle`. */
  @Reverses('operations.facility.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const before = await checkedAs(UpdateFacility, entry.before);
    return this.facilities.reverseUpdate(entry.subjectId, before, (facility) => assertUnchangedSince(entry, facility));
  }

  /** Throws 409 `changed_since`, also if the facility is already restored, and `facility_code_taken`. */
  @Reverses('operations.facility.delete')
  async reverseArchival(entry: RecordedAction): Promise<ReversalResult> {
    const { status = 'active' } = await checkedAs(UpdateFacility, entry.before);
    return this.facilities.restore(entry.subjectId, status, (facility) => assertUnchangedSince(entry, facility));
  }
}
