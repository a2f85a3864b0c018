import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Id, Nested, Nullable, OneOf, Text, Texts, Version, Whole } from '../../../platform/http/fields.js';
import { CountryCode, Degrees, Instant, TimeZone } from '../../../platform/http/trade-fields.js';
import type { FacilityImpact } from './facility-impact.js';
import {
  type Facility,
  FACILITY_KINDS,
  FACILITY_STATUSES,
  type FacilityKind,
  type FacilityStatus,
} from './facility.entity.js';

const MOST = Number.MAX_SAFE_INTEGER;

export class AddressResponse {
  @Text({ max: 255 })
  line1: string | null;

  @Text({ max: 255 })
  line2: string | null;

  @Text({ max: 255 })
  city: string | null;

  @Text({ max: 255 })
  region: string | null;

  @Text({ max: 20 })
  postalCode: string | null;

  @CountryCode()
  country: string | null;
}

export class FacilityResponse {
  @Id('fac')
  id: string;

  @Text({ max: 255 })
  name: string;

  @Text({ max: 100 })
  code: string | null;

  @OneOf(FACILITY_KINDS)
  kind: FacilityKind;

  @OneOf(FACILITY_STATUSES)
  status: FacilityStatus;

  @Id('fac')
  parentFacilityId: string | null;

  @Text({ max: 2000 })
  description: string | null;

  @TimeZone()
  timeZone: string | null;

  /** Null where none of its members is known. */
  @Nullable()
  @Nested(() => AddressResponse)
  address: AddressResponse | null;

  @Degrees({ max: 90 })
  latitude: number | null;

  @Degrees({ max: 180 })
  longitude: number | null;

  @Texts({ max: 50, maxLength: 100, unique: true })
  tags: string[];

  /** When it was archived. */
  @Instant()
  deletedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** What goes on naming the archived facility. */
export class FacilityImpactResponse {
  /** Past or cancelled ones. A coming one would have kept the facility: 409 `facility_in_use` counts the coming ones alone. */
  @Whole({ min: 0, max: MOST })
  departures: number;

  /** Facilities that lie in it and are not archived. */
  @Whole({ min: 0, max: MOST })
  children: number;

  /** Ground operators that are at home there, inactive ones too. */
  @Whole({ min: 0, max: MOST })
  operators: number;
}

export class ArchivedFacilityResponse {
  @Id('fac')
  id: string;

  @OneOf(['archived'])
  status: string;

  @Instant()
  deletedAt: string;

  @Nested(() => FacilityImpactResponse)
  impact: FacilityImpactResponse;
}

export function toFacility(facility: Facility): FacilityResponse {
  return {
    id: facility.id,
    name: facility.name,
    code: facility.code,
    kind: facility.kind,
    status: facility.status,
    parentFacilityId: facility.parentFacilityId,
    description: facility.description,
    timeZone: facility.timeZone,
    address: addressOf(facility),
    latitude: facility.latitude,
    longitude: facility.longitude,
    tags: facility.tags,
    deletedAt: facility.archivedAt?.toISOString() ?? null,
    version: facility.version,
    createdAt: facility.createdAt.toISOString(),
    updatedAt: facility.updatedAt.toISOString(),
  };
}

function addressOf(facility: Facility): AddressResponse | null {
  const address = {
    line1: facility.addressLine1,
    line2: facility.addressLine2,
    city: facility.addressCity,
    region: facility.addressRegion,
    postalCode: facility.addressPostalCode,
    country: facility.addressCountry,
  };
  return Object.values(address).some((member) => member !== null) ? address : null;
}

export function toArchived(facility: Facility, impact: FacilityImpact): ArchivedFacilityResponse {
  const { departures, children, operators } = impact;
  const deletedAt = (facility.archivedAt ?? facility.updatedAt).toISOString();
  return { id: facility.id, status: facility.status, deletedAt, impact: { departures, children, operators } };
}

export class FacilityEnvelope extends dataOf(FacilityResponse) {}
export class FacilityPage extends pageOf(FacilityResponse) {}
export class ArchivedFacilityEnvelope extends dataOf(ArchivedFacilityResponse) {}
