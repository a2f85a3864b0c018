import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { containing } from '../../../platform/database/like.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import {
  ActionLedger,
  assertUnchangedSince,
  byVersion,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  Undoes,
} from '../../action-ledger/index.js';
import { type AddressBody, type CreateFacility, type ListFacilities, UpdateFacility } from './facility.dto.js';
import { Facility, type FacilityChanges, type FacilityImpact, type FacilityStatus } from './facility.entity.js';

mapConstraint('facilities_live_code', () => conflict('facility_code_taken', 'Another facility already has this code'));
for (const constraint of ['facilities_no_cycle', 'facilities_not_own_parent']) {
  mapConstraint(constraint, () => conflict('facility_cycle', 'A facility cannot contain itself'));
}

/** The trigger also takes this lock. It is taken before the row's lock, so that two concurrent moves cannot deadlock. */
const LOCK_TREE = 'select pg_advisory_xact_lock(7120021, 0)';

const COUNT_IMPACT = `
  select d.departures, d.upcoming as "upcomingDepartures",
    (select count(*)::int from facilities where parent_facility_id = $1 and status <> 'archived') as children,
    (select count(*)::int from ground_operators where facility_id = $1) as operators
  from (
    select count(*)::int as departures,
      count(*) filter (where status <> 'cancelled' and starts_at > $2)::int as upcoming
    from departures where id in (
      select id from departures where facility_id = $1
      union select id from departures
        where pickups <> '[]' and pickups @> jsonb_build_array(jsonb_build_object('facilityId', $1::text)))
  ) d`;

/** A facility on the map; coordinates in decimal degrees (WGS 84). */
export interface PlacedFacility extends Pick<
  Facility,
  | 'id'
  | 'name'
  | 'addressLine1'
  | 'addressLine2'
  | 'addressCity'
  | 'addressRegion'
  | 'addressPostalCode'
  | 'addressCountry'
> {
  latitude: number;
  longitude: number;
}

@Injectable()
export class FacilitiesService {
  private readonly rows: Rows<Facility>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(Facility);
  }

  async create(input: CreateFacility, id = newId('fac')): Promise<Facility> {
    const facility = newFacility(input, id, this.clock.now());
    return this.database.transaction(async () => {
      await this.lockUsable(facility.parentFacilityId, 'parentFacilityId');
      await this.rows.insert(facility);
      this.record('create', facility, null);
      this.publish('created', facility);
      return facility;
    });
  }

  async list(query: ListFacilities): Promise<{ rows: Facility[]; total: number }> {
    const { kind, status, parentFacilityId, country, search, sort = 'name' } = query;
    const found = this.rows.query('facility');
    if (status === undefined) found.andWhere(`facility.status <> 'archived'`);
    filterRows(found, 'facility.status', status);
    filterRows(found, 'facility.kind', kind);
    if (parentFacilityId !== undefined)
      found.andWhere('facility.parentFacilityId = :parentFacilityId', { parentFacilityId });
    if (country !== undefined) found.andWhere('facility.addressCountry = :country', { country });
    if (search !== undefined) {
      found.andWhere('(facility.name ilike :part or facility.code ilike :part)', { part: containing(search) });
    }
    sortRows(found, sort);
    return this.rows.page(found, pageBounds(query));
  }

  async get(id: string): Promise<Facility> {
    return this.rows.get(id);
  }

  /** Those of these facilities whose position is known. */
  async listPlaced(ids: readonly string[]): Promise<PlacedFacility[]> {
    const found = await this.rows.read({
      name: 'facilities-placed',
      text: `select ${this.rows.columns('facility')} from facilities as facility where id = any($1)`,
      values: [ids],
    });
    return found.flatMap(({ latitude, longitude, ...facility }) =>
      latitude === null || longitude === null ? [] : [{ ...facility, latitude, longitude }],
    );
  }

  async update(id: string, body: UpdateFacility, expected: ExpectedVersions): Promise<Facility> {
    return this.database.transaction(async () => {
      const facility = await this.lockToChange(id, body);
      assertVersion(expected, facility);
      const before = facility.auditImage();
      await this.change(facility, body);
      this.record('update', facility, before);
      return facility;
    });
  }

  /** An archived facility is not found. */
  @Undoes('operations.facility.create', { effect: 'operations.facility.delete', values: byVersion })
  async archive(id: string, expected: ExpectedVersions): Promise<{ facility: Facility; impact: FacilityImpact }> {
    return this.database.transaction(async () => {
      const facility = await this.rows.lock(id);
      if (facility.status === 'archived') throw notFound();
      assertVersion(expected, facility);
      const now = this.clock.now();
      const impact = await this.countImpact(id, now);
      if (impact.upcomingDepartures > 0) {
        const { upcomingDepartures: departures, children, operators } = impact;
        const details = { departures, children, operators };
        throw conflict('facility_in_use', 'Scheduled future departures use the facility', details);
      }
      const before = facility.auditImage();
      facility.archive(now);
      await this.rows.update(facility);
      this.record('delete', facility, before);
      this.publish('archived', facility);
      return { facility, impact };
    });
  }

  @Reverses('operations.facility.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const restored = await checkedAs(UpdateFacility, entry.before);
    const facility = await this.lockToChange(entry.subjectId, restored);
    assertUnchangedSince(entry, facility);
    const before = facility.auditImage();
    await this.change(facility, restored);
    return { before, after: facility.auditImage() };
  }

  /** A facility that is already restored counts as changed. */
  @Reverses('operations.facility.delete', { effect: 'operations.facility.create' })
  async reverseArchival(entry: RecordedAction): Promise<ReversalResult> {
    const { status = 'active' } = await checkedAs(UpdateFacility, entry.before);
    const facility = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, facility);
    const before = facility.auditImage();
    facility.restore(status, this.clock.now());
    await this.rows.update(facility);
    this.publish('restored', facility);
    return { before, after: facility.auditImage() };
  }

  /**
   * Prevents archiving of the facility until the running transaction ends. The error for an unknown facility names the field
   * that contains the id.
   */
  async lockUsable(id: string | null, field = 'facilityId'): Promise<void> {
    if (id === null) return;
    const [facility] = await this.database.prepared<{ status: FacilityStatus }>(
      'facility-lock-status',
      'select status from facilities where id = $1 for share',
      [id],
    );
    if (!facility) throw notFound({ field });
    if (facility.status === 'archived') throw conflict('facility_archived', 'The facility is archived', { field });
  }

  private async lockToChange(id: string, { parentFacilityId }: UpdateFacility): Promise<Facility> {
    if (typeof parentFacilityId === 'string') await this.database.execute(LOCK_TREE);
    return this.rows.lock(id);
  }

  private async change(facility: Facility, body: UpdateFacility): Promise<void> {
    const { parentFacilityId } = facility;
    facility.change(changesOf(body), this.clock.now());
    if (facility.parentFacilityId !== parentFacilityId) {
      await this.lockUsable(facility.parentFacilityId, 'parentFacilityId');
    }
    await this.rows.update(facility);
    this.publish('updated', facility);
  }

  private async countImpact(id: string, now: Date): Promise<FacilityImpact> {
    const [impact] = await this.database.prepared<FacilityImpact>('facility-impact', COUNT_IMPACT, [id, now]);
    if (!impact) throw new Error('The count returned no row');
    return impact;
  }

  private record(verb: 'create' | 'update' | 'delete', facility: Facility, before: object | null): void {
    const subject = { subjectType: 'facility', subjectId: facility.id };
    this.ledger.record(`operations.facility.${verb}`, { ...subject, before, after: facility.auditImage() });
  }

  private publish(what: 'created' | 'updated' | 'archived' | 'restored', facility: Facility): void {
    const { id: facilityId, kind, status, version } = facility;
    const data = { facilityId, kind, status, version };
    this.outbox.add({ channel: 'operations.facilities', event: `facility.${what}`, data });
  }
}

function newFacility(input: CreateFacility, id: string, now: Date): Facility {
  const { address } = input;
  return make(Facility, {
    id,
    name: input.name,
    code: input.code,
    kind: input.kind ?? 'other',
    status: input.status ?? 'active',
    parentFacilityId: input.parentFacilityId,
    description: input.description,
    timeZone: input.timeZone,
    addressLine1: address?.line1,
    addressLine2: address?.line2,
    addressCity: address?.city,
    addressRegion: address?.region,
    addressPostalCode: address?.postalCode,
    addressCountry: address?.country,
    latitude: input.latitude,
    longitude: input.longitude,
    tags: input.tags ?? [],
    createdAt: now,
  });
}

function changesOf({ address, tags, ...fields }: UpdateFacility): FacilityChanges {
  return { ...fields, ...(tags === undefined ? {} : { tags: tags ?? [] }), ...addressChanges(address) };
}

const ADDRESS_COLUMNS = [
  ['line1', 'addressLine1'],
  ['line2', 'addressLine2'],
  ['city', 'addressCity'],
  ['region', 'addressRegion'],
  ['postalCode', 'addressPostalCode'],
  ['country', 'addressCountry'],
] as const;

/** An omitted member keeps its value; null clears it, and null for the address clears all members. */
function addressChanges(address: AddressBody | null | undefined): FacilityChanges {
  if (address === undefined) return {};
  const changes: FacilityChanges = {};
  for (const [member, column] of ADDRESS_COLUMNS) {
    const value = address === null ? null : address[member];
    if (value !== undefined) changes[column] = value;
  }
  return changes;
}
