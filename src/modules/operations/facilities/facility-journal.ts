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

  created(facility: Facility): void {
    this.record('create', facility, null);
    this.tell('facility.created', facility);
  }

  updated(facility: Facility, before: FacilityResponse): void {
    this.record('update', facility, before);
    this.tell('facility.updated', facility);
  }

  archived(facility: Facility, before: FacilityResponse): void {
    this.record('delete', facility, before);
    this.tell('facility.archived', facility);
  }

  private record(verb: string, facility: Facility, before: FacilityResponse | null): void {
    const subject = { subjectType: 'facility', subjectId: facility.id };
    this.ledger.record(`operations.facility.${verb}`, { ...subject, before, after: toFacility(facility) });
  }

  private tell(event: string, { id, kind, status, version }: Facility): void {
    this.outbox.add({ channel: 'operations.facilities', event, data: { facilityId: id, kind, status, version } });
  }
}
