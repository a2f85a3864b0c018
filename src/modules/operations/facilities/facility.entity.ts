import { extensible, named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { imageOf } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict } from '../../../platform/errors/app-error.js';

export const FACILITY_KINDS = extensible('FacilityKind', [
  'property',
  'hotel',
  'resort',
  'venue',
  'meeting_point',
  'transfer_hub',
  'airport',
  'station',
  'marina',
  'camp',
  'lodge',
  'office',
  'attraction',
  'restaurant',
  'other',
]);
export type FacilityKind = (typeof FACILITY_KINDS)[number];

export const FACILITY_STATUSES = named('FacilityStatus', ['active', 'inactive', 'archived']);
export type FacilityStatus = (typeof FACILITY_STATUSES)[number];

/** The statuses that an update can set; archiving is a deletion. */
export const OPEN_STATUSES = named('OpenFacilityStatus', ['active', 'inactive']);
export type OpenStatus = (typeof OPEN_STATUSES)[number];

/** Number of resources that refer to a facility. */
export interface FacilityImpact {
  /** All departures, including past and cancelled ones. */
  departures: number;
  /** Scheduled departures that have not started. */
  upcomingDepartures: number;
  /** Facilities within it that are not archived. */
  children: number;
  operators: number;
}

interface Address {
  line1: string | null;
  line2: string | null;
  city: string | null;
  region: string | null;
  postalCode: string | null;
  country: string | null;
}

export interface FacilityChanges {
  name?: string;
  code?: string | null;
  kind?: FacilityKind;
  status?: OpenStatus;
  parentFacilityId?: string | null;
  description?: string | null;
  timeZone?: string | null;
  addressLine1?: string | null;
  addressLine2?: string | null;
  addressCity?: string | null;
  addressRegion?: string | null;
  addressPostalCode?: string | null;
  addressCountry?: string | null;
  latitude?: number | null;
  longitude?: number | null;
  tags?: string[];
}

/** A place such as a hotel, a meeting point or an airport. References to it stay when it is archived. */
@Entity('facilities')
export class Facility {
  @PrimaryColumn('text') id: string;
  @Impersonal()
  @Column('text')
  name: string;
  /** Unique among facilities that are not archived. */
  @Column('text', { nullable: true }) code: string | null;
  @Column('text') kind: FacilityKind;
  @Column('text') status: FacilityStatus;
  /** The larger place that contains it; a trigger rejects cycles. */
  @Column('text', { name: 'parent_facility_id', nullable: true }) parentFacilityId: string | null;
  @Personal('partner')
  @Column('text', { nullable: true })
  description: string | null;
  @Column('text', { name: 'time_zone', nullable: true }) timeZone: string | null;
  @Personal('partner')
  @Unaudited('a member of `address` in the snapshot')
  @Column('text', { name: 'address_line1', nullable: true })
  addressLine1: string | null;
  @Personal('partner')
  @Unaudited('a member of `address` in the snapshot')
  @Column('text', { name: 'address_line2', nullable: true })
  addressLine2: string | null;
  @Impersonal()
  @Unaudited('a member of `address` in the snapshot')
  @Column('text', { name: 'address_city', nullable: true })
  addressCity: string | null;
  @Impersonal()
  @Unaudited('a member of `address` in the snapshot')
  @Column('text', { name: 'address_region', nullable: true })
  addressRegion: string | null;
  @Unaudited('a member of `address` in the snapshot')
  @Column('text', { name: 'address_postal_code', nullable: true })
  addressPostalCode: string | null;
  @Unaudited('a member of `address` in the snapshot')
  @Column('text', { name: 'address_country', nullable: true })
  addressCountry: string | null;
  @Column('double precision', { nullable: true }) latitude: number | null;
  @Column('double precision', { nullable: true }) longitude: number | null;
  @Impersonal()
  @Column('text', { array: true })
  tags: string[];
  @Unaudited('`deletedAt` in the snapshot')
  @Column('timestamptz', { name: 'archived_at', nullable: true })
  archivedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: FacilityChanges, now: Date): void {
    if (this.status === 'archived') throw conflict('facility_archived', 'An archived facility cannot be changed');
    Object.assign(this, changes, { updatedAt: now });
  }

  archive(now: Date): void {
    Object.assign(this, { status: 'archived', archivedAt: now, updatedAt: now });
  }

  restore(status: OpenStatus, now: Date): void {
    Object.assign(this, { status, archivedAt: null, updatedAt: now });
  }

  /** Null if no member is known. */
  address(): Address | null {
    const address = {
      line1: this.addressLine1,
      line2: this.addressLine2,
      city: this.addressCity,
      region: this.addressRegion,
      postalCode: this.addressPostalCode,
      country: this.addressCountry,
    };
    return Object.values(address).some((member) => member !== null) ? address : null;
  }

  auditImage(): object {
    return { ...imageOf(this), address: this.address(), deletedAt: this.archivedAt?.toISOString() ?? null };
  }
}
