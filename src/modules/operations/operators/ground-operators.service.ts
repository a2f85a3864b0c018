import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { ActionLedger, Undoes, versionAfter } from '../../action-ledger/index.js';
import { FacilitiesService } from '../facilities/facilities.service.js';
import type { CreateGroundOperator, ListGroundOperators, UpdateGroundOperator } from './ground-operator.dto.js';
import { GroundOperator, type GroundOperatorChanges } from './ground-operator.entity.js';

mapConstraint('ground_operators_code', () => conflict('operator_code_taken', 'Another operator already has this code'));

@Injectable()
export class GroundOperatorsService {
  private readonly rows: Rows<GroundOperator>;

  constructor(
    private readonly database: Database,
    private readonly facilities: FacilitiesService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(GroundOperator);
  }

  async create(input: CreateGroundOperator, id = newId('gop')): Promise<GroundOperator> {
    const operator = newGroundOperator(input, id, this.clock.now());
    return this.database.transaction(async () => {
      await this.facilities.lockUsable(operator.facilityId);
      await this.rows.insert(operator);
      this.record('create', operator, { before: null, after: operator.auditImage() });
      return operator;
    });
  }

  async list(query: ListGroundOperators): Promise<{ rows: GroundOperator[]; total: number }> {
    const { active, facilityId, search } = query;
    const found = this.rows.query('operator');
    if (active !== undefined) found.andWhere('operator.active = :active', { active });
    if (facilityId !== undefined) found.andWhere('operator.facilityId = :facilityId', { facilityId });
    if (search !== undefined) {
      found.andWhere('(operator.name ilike :part or operator.code ilike :part)', { part: containing(search) });
    }
    sortRows(found, query.sort ?? 'name');
    return this.rows.page(found, pageBounds(query));
  }

  async get(id: string): Promise<GroundOperator> {
    return this.rows.get(id);
  }

  @Undoes('operations.ground_operator.create', {
    effect: 'operations.ground_operator.update',
    values: (entry) => [entry.subjectId, { active: false }, versionAfter(entry)] as const,
  })
  async update(id: string, body: UpdateGroundOperator, expected: ExpectedVersions): Promise<GroundOperator> {
    return this.database.transaction(async () => {
      const operator = await this.rows.lock(id);
      assertVersion(expected, operator);
      const { facilityId } = operator;
      const before = operator.auditImage();
      operator.change(changesOf(body), this.clock.now());
      if (operator.facilityId !== facilityId) await this.facilities.lockUsable(operator.facilityId);
      await this.rows.update(operator);
      const after = { ...operator.auditImage(), changed: Object.keys(body).sort() };
      this.record('update', operator, { before, after });
      return operator;
    });
  }

  private record(
    verb: 'create' | 'update',
    operator: GroundOperator,
    images: { before: object | null; after: object },
  ): void {
    const { id: operatorId, active, facilityId, version } = operator;
    const subject = { subjectType: 'ground_operator', subjectId: operatorId };
    this.ledger.record(`operations.ground_operator.${verb}`, { ...subject, ...images });
    const data = { operatorId, active, facilityId, version };
    this.outbox.add({ channel: 'operations.operators', event: `ground_operator.${verb}d`, data });
  }
}

function newGroundOperator(input: CreateGroundOperator, id: string, now: Date): GroundOperator {
  return make(GroundOperator, {
    id,
    name: input.name,
    code: input.code,
    active: input.active ?? true,
    facilityId: input.facilityId,
    contactName: input.contactName,
    contactEmail: input.contactEmail,
    contactPhone: input.contactPhone,
    serviceAreas: input.serviceAreas ?? [],
    licenseNumber: input.licenseNumber,
    insuranceExpiresOn: input.insuranceExpiresOn,
    timeZone: input.timeZone,
    notes: input.notes,
    createdAt: now,
  });
}

function changesOf({ serviceAreas, ...fields }: UpdateGroundOperator): GroundOperatorChanges {
  return { ...fields, ...(serviceAreas === undefined ? {} : { serviceAreas: serviceAreas ?? [] }) };
}
