import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { type FacilityResponse, toFacility } from './facility-response.dto.js';
import type { Facility } from './facility.entity.js';

/** What is recorded and told of facilities. The image before a change is what an undo restores, so it is whole. */
@Injectable()
export class FacilityJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  record(verb: 'create' | 'update' | 'delete', facility: Facility, before: FacilityResponse | null): void {
    const subject = { subjectType: 'facility', subjectId: facility.id };
    this.ledger.record(`operations.facility.${verb}`, { ...subject, before, after: toFacility(facility) });
  }

  tell(
    event: `facility.${'created' | 'updated' | 'archived' | 'restored'}`,
    { id, kind, status, version }: Facility,
  ): void {
    this.outbox.add({ channel: 'operations.facilities', event, data: { facilityId: id, kind, status, version } });
  }
}
