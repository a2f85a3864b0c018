import { Injectable, type OnModuleInit } from '@nestjs/common';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertUnchangedSince, type RecordedAction, Reversals, type Undone } from '../../action-ledger/index.js';
import { Facilities } from './facilities.service.js';
import { toFacility } from './facility-response.dto.js';
import { UpdateFacility } from './facility.dto.js';

/** How what was done to facilities is undone. */
@Injectable()
export class FacilityUndos implements OnModuleInit {
  constructor(
    private readonly reversals: Reversals,
    private readonly facilities: Facilities,
  ) {}

  onModuleInit(): void {
    this.reversals.register('operations.facility.update', { reverse: (entry) => this.changeBack(entry) });
    this.reversals.register('operations.facility.delete', { reverse: (entry) => this.restore(entry) });
  }

  /** Throws 409 `changed_since`, `facility_archived`, `facility_code_taken`, `facility_cycle`. */
  private async changeBack(entry: RecordedAction): Promise<Undone> {
    const body = await checkedAs(UpdateFacility, entry.before);
    const { facility, before } = await this.facilities.revise(entry.subjectId, body, (held) =>
      assertUnchangedSince(entry, held),
    );
    return { before, after: toFacility(facility) };
  }

  /** Throws 409 `changed_since` where it is back already, `facility_code_taken`. */
  private async restore(entry: RecordedAction): Promise<Undone> {
    const { status = 'active' } = await checkedAs(UpdateFacility, entry.before);
    const { facility, before } = await this.facilities.restore(entry.subjectId, status, (held) =>
      assertUnchangedSince(entry, held),
    );
    return { before, after: toFacility(facility) };
  }
}
