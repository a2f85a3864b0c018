import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { FacilityChoice } from './facility-choice.service.js';
import { changesOf, newFacility } from './facility-fields.js';
import { COUNT_IMPACT, type FacilityImpact } from './facility-impact.js';
import { FacilityJournal } from './facility-journal.js';
import { type FacilityResponse, toFacility } from './facility-response.dto.js';
import type { CreateFacility, ListFacilities, UpdateFacility } from './facility.dto.js';
import { Facility, type OpenStatus } from './facility.entity.js';

mapConstraint('facilities_live_code', () => conflict('facility_code_taken', 'Another facility already has this code'));
for (const constraint of ['facilities_no_cycle', 'facilities_not_own_parent']) {
  mapConstraint(constraint, () => conflict('facility_cycle', 'A facility cannot contain itself'));
}

/** The trigger takes this lock too. Taken before the row's, so that two moves at once do not wait for one another. */
const HOLD_TREE = 'select pg_advisory_xact_lock(7120021, 0)';

interface RevisedFacility {
  facility: Facility;
  before: FacilityResponse;
}

@Injectable()
export class Facilities {
  constructor(
    private readonly database: Database,
    private readonly choice: FacilityChoice,
    private readonly journal: FacilityJournal,
    private readonly clock: Clock,
  ) {}

  /** Throws 404 for an unknown parent, 409 `facility_code_taken`, `facility_archived`. */
  async create(input: CreateFacility, id = newId('fac')): Promise<Facility> {
    const facility = newFacility(input, id, this.clock.now());
    return this.database.transaction(async () => {
      await this.choice.assertUsable(facility.parentFacilityId, 'parentFacilityId');
      await this.database.insert(facility);
      this.journal.record('create', facility, null);
      this.journal.tell('facility.created', facility);
      return facility;
    });
  }

  async list(query: ListFacilities): Promise<{ facilities: Facility[]; total: number }> {
    const { kind, status, parentFacilityId, country, search, sort = 'name' } = query;
    const found = this.database.repository(Facility).createQueryBuilder('facility');
    if (status === undefined) found.andWhere(`facility.status <> 'archived'`);
    else found.andWhere('facility.status = :status', { status });
    if (kind !== undefined) found.andWhere('facility.kind = :kind', { kind });
    if (parentFacilityId !== undefined)
      found.andWhere('facility.parentFacilityId = :parentFacilityId', { parentFacilityId });
    if (country !== undefined) found.andWhere('facility.addressCountry = :country', { country });
    if (search !== undefined) {
      found.andWhere('(facility.name ilike :part or facility.code ilike :part)', { part: containing(search) });
    }
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    found.orderBy(`facility.${sort.replace('-', '')}`, direction).addOrderBy('facility.id', direction);
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { facilities: rows.map(({ entity }) => entity), total };
  }

  /** Archived ones too. Throws 404. */
  async get(id: string): Promise<Facility> {
    const facility = await this.database.repository(Facility).findOneBy({ id });
    return facility ?? refuseUnknown();
  }

  /** Throws 404, 409 `facility_archived`, `facility_code_taken`, `facility_cycle`, 412. */
  async update(id: string, body: UpdateFacility, expected: ExpectedVersions): Promise<Facility> {
    return this.database.transaction(async () => {
      const { facility, before } = await this.revise(id, body, (held) => assertVersion(expected, held));
      this.journal.record('update', facility, before);
      return facility;
    });
  }

  /**
   * Changes a facility in the running transaction; what the ledger says of it is the caller's. Throws what `check` throws,
   * 404, 409 `facility_archived`, `facility_code_taken`, `facility_cycle`.
   */
  async revise(id: string, body: UpdateFacility, check: (facility: Facility) => void): Promise<RevisedFacility> {
    if (typeof body.parentFacilityId === 'string') await this.database.execute(HOLD_TREE);
    const facility = await this.lock(id);
    check(facility);
    const before = toFacility(facility);
    facility.change(changesOf(body), this.clock.now());
    if (facility.parentFacilityId !== before.parentFacilityId) {
      await this.choice.assertUsable(facility.parentFacilityId, 'parentFacilityId');
    }
    await this.database.update(facility);
    this.journal.tell('facility.updated', facility);
    return { facility, before };
  }

  /** What names it goes on naming it. Throws 404, also for an archived one, 409 `facility_in_use`, 412. */
  async archive(id: string, expected: ExpectedVersions): Promise<{ facility: Facility; impact: FacilityImpact }> {
    const now = this.clock.now();
    return this.database.transaction(async () => {
      const facility = await this.lock(id);
      if (facility.status === 'archived') refuseUnknown();
      assertVersion(expected, facility);
      const impact = await this.impactOf(id, now);
      if (impact.comingDepartures > 0) {
        const { comingDepartures: departures, children, operators } = impact;
        const details = { departures, children, operators };
        throw conflict('facility_in_use', 'Scheduled future departures use the facility', details);
      }
      const before = toFacility(facility);
      facility.archive(now);
      await this.database.update(facility);
      this.journal.record('delete', facility, before);
      this.journal.tell('facility.archived', facility);
      return { facility, impact };
    });
  }

  /**
   * Has an archived facility back in the running transaction; what the ledger says of it is the caller's. Throws what
   * `check` throws, 404, 409 `facility_code_taken`.
   */
  async restore(id: string, status: OpenStatus, check: (facility: Facility) => void): Promise<RevisedFacility> {
    const facility = await this.lock(id);
    check(facility);
    const before = toFacility(facility);
    facility.restore(status, this.clock.now());
    await this.database.update(facility);
    this.journal.tell('facility.restored', facility);
    return { facility, before };
  }

  private async impactOf(id: string, now: Date): Promise<FacilityImpact> {
    const [impact] = await this.database.prepared<FacilityImpact>('facility-impact', COUNT_IMPACT, [id, now]);
    if (!impact) throw new Error('Counting gives a row');
    return impact;
  }

  private async lock(id: string): Promise<Facility> {
    return (await this.database.lock(Facility, id)) ?? refuseUnknown();
  }
}

function refuseUnknown(): never {
  throw notFound();
}
