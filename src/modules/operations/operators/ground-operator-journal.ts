import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { GroundOperator } from './ground-operator.entity.js';

/** What is recorded and told of ground operators: whom one calls there stands in neither. */
@Injectable()
export class GroundOperatorJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  created(operator: GroundOperator): void {
    this.record('create', operator, { before: null, after: imageOf(operator) });
    this.tell('ground_operator.created', operator);
  }

  /** `changed` names the fields, contact among them. */
  updated(operator: GroundOperator, { before, changed }: { before: GroundOperator; changed: string[] }): void {
    this.record('update', operator, { before: imageOf(before), after: { ...imageOf(operator), changed } });
    this.tell('ground_operator.updated', operator);
  }

  private record(verb: string, { id }: GroundOperator, images: { before: object | null; after: object }): void {
    const subject = { subjectType: 'ground_operator', subjectId: id };
    this.ledger.record(`operations.ground_operator.${verb}`, { ...subject, ...images });
  }

  private tell(event: string, { id, active, facilityId, version }: GroundOperator): void {
    const data = { operatorId: id, active, facilityId, version };
    this.outbox.add({ channel: 'operations.operators', event, data });
  }
}

function imageOf(operator: GroundOperator): object {
  return {
    id: operator.id,
    name: operator.name,
    code: operator.code,
    active: operator.active,
    facilityId: operator.facilityId,
    serviceAreas: operator.serviceAreas,
    licenseNumber: operator.licenseNumber,
    insuranceExpiresOn: operator.insuranceExpiresOn,
    timeZone: operator.timeZone,
    version: operator.version,
  };
}
