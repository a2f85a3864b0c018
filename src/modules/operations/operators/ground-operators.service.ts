import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { FacilityChoice } from '../facilities/facility-choice.service.js';
import type { CreateGroundOperator, ListGroundOperators, UpdateGroundOperator } from './ground-operator.dto.js';
import { GroundOperator, type GroundOperatorChanges } from './ground-operator.entity.js';
import { GroundOperatorJournal } from './ground-operator-journal.js';

mapConstraint('ground_operators_code', () => conflict('operator_code_taken', 'Another operator already has this code'));

@Injectable()
export class GroundOperators {
  constructor(
    private readonly database: Database,
    private readonly facilities: FacilityChoice,
    private readonly journal: GroundOperatorJournal,
    private readonly clock: Clock,
  ) {}

  /** Throws 404 for an unknown facility, 409 `operator_code_taken`, `facility_archived`. */
  async create(input: CreateGroundOperator, id = newId('gop')): Promise<GroundOperator> {
    const operator = newGroundOperator(input, id, this.clock.now());
    return this.database.transaction(async () => {
      await this.facilities.assertUsable(operator.facilityId);
      await this.database.insert(operator);
      this.journal.created(operator);
      return operator;
    });
  }

  /** In the order of their names. */
  async list(query: ListGroundOperators): Promise<{ operators: GroundOperator[]; total: number }> {
    const { active, facilityId, search } = query;
    const found = this.database.repository(GroundOperator).createQueryBuilder('operator');
    if (active !== undefined) found.andWhere('operator.active = :active', { active });
    if (facilityId !== undefined) found.andWhere('operator.facilityId = :facilityId', { facilityId });
    if (search !== undefined) {
      found.andWhere('(operator.name ilike :part or operator.code ilike :part)', { part: containing(search) });
    }
    found.orderBy('operator.name', 'ASC').addOrderBy('operator.id', 'ASC');
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { operators: rows.map(({ entity }) => entity), total };
  }

  /** Throws 404. */
  async get(id: string): Promise<GroundOperator> {
    const operator = await this.database.repository(GroundOperator).findOneBy({ id });
    if (!operator) throw notFound();
    return operator;
  }

  /** Throws 404, 409 `operator_code_taken`, `facility_archived`, 412. */
  async update(id: string, body: UpdateGroundOperator, expected: ExpectedVersions): Promise<GroundOperator> {
    return this.database.transaction(async () => {
      const operator = await this.database.lock(GroundOperator, id);
      if (!operator) throw notFound();
      assertVersion(expected, operator);
      const before = make(GroundOperator, { ...operator });
      operator.change(changesOf(body), this.clock.now());
      if (operator.facilityId !== before.facilityId) await this.facilities.assertUsable(operator.facilityId);
      await this.database.update(operator);
      this.journal.updated(operator, { before, changed: Object.keys(body).sort() });
      return operator;
    });
  }
}

function newGroundOperator(input: CreateGroundOperator, id: string, now: Date): GroundOperator {
  return make(GroundOperator, {
    id,
    name: input.name,
    code: input.code ?? null,
    active: input.active ?? true,
    facilityId: input.facilityId ?? null,
    contactName: input.contactName ?? null,
    contactEmail: input.contactEmail ?? null,
    contactPhone: input.contactPhone ?? null,
    serviceAreas: input.serviceAreas ?? [],
    licenseNumber: input.licenseNumber ?? null,
    insuranceExpiresOn: input.insuranceExpiresOn ?? null,
    timeZone: input.timeZone ?? null,
    notes: input.notes ?? null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}

function changesOf({ serviceAreas, ...fields }: UpdateGroundOperator): GroundOperatorChanges {
  return { ...fields, ...(serviceAreas === undefined ? {} : { serviceAreas: serviceAreas ?? [] }) };
}
