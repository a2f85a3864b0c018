import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Clearable,
  Id,
  Ignored,
  Nested,
  Nullable,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CountryCode, Degrees, Instant, TimeZone } from '../../../platform/http/trade-fields.js';
import {
  type Facility,
  FACILITY_KINDS,
  FACILITY_STATUSES,
  type FacilityImpact,
  type FacilityKind,
  type FacilityStatus,
  OPEN_STATUSES,
  type OpenStatus,
} from './facility.entity.js';

/** Postal address. In an update omitted members keep their values. */
export class AddressBody {
  /**
   * Street and number.
   * @example "Strada Portului 12"
   */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  line1?: string | null;

  /**
   * Building, floor or similar.
   * @example "Pier 3"
   */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  line2?: string | null;

  /**
   * City or town name, free text.
   * @example "Tulcea"
   */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  city?: string | null;

  /**
   * State, county or province.
   * @example "Tulcea"
   */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  region?: string | null;

  /**
   * Postal or ZIP code, free text.
   * @example "820243"
   */
  @Clearable()
  @Text({ max: 20, emptyIsNull: true })
  postalCode?: string | null;

  /**
   * ISO 3166-1 alpha-2 country code.
   * @example "RO"
   */
  @Clearable()
  @CountryCode()
  country?: string | null;
}

/** A place such as a hotel, a meeting point or an airport. */
export class CreateFacility {
  @Ignored()
  id?: undefined;

  /**
   * Name as staff and customers know the place.
   * @example "Tulcea river port"
   */
  @Text({ max: 255 })
  name: string;

  /**
   * Your own short code; unique among facilities that are not archived, with case significant. An empty string means
   * null.
   */
  @Clearable()
  @Text({ max: 100, emptyIsNull: true })
  code?: string | null;

  /**
   * Type of place; `other` by default.
   * @example "meeting_point"
   */
  @Optional()
  @OneOf(FACILITY_KINDS)
  kind?: FacilityKind;

  /**
   * `active` by default. Use the archive operation to archive a facility.
   * @example "active"
   */
  @Optional()
  @OneOf(OPEN_STATUSES)
  status?: OpenStatus;

  /**
   * Larger facility that contains this one (prefix `fac`); must not be archived.
   * @example "fac_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('fac')
  parentFacilityId?: string | null;

  /**
   * Directions or details for staff and customers. An empty string means null.
   * @example "Behind the ticket hall"
   */
  @Clearable()
  @Text({ max: 2000, multiline: true, emptyIsNull: true })
  description?: string | null;

  /**
   * IANA time zone of the place.
   * @example "Europe/Bucharest"
   */
  @Clearable()
  @TimeZone()
  timeZone?: string | null;

  /** Postal address. In an update omitted members keep their values, and null clears the whole address. */
  @Clearable()
  @Nested(() => AddressBody)
  address?: AddressBody | null;

  /**
   * Decimal degrees; north is positive.
   * @example 45.1787
   */
  @Clearable()
  @Degrees({ max: 90 })
  latitude?: number | null;

  /**
   * Decimal degrees; east is positive.
   * @example 28.8049
   */
  @Clearable()
  @Degrees({ max: 180 })
  longitude?: number | null;

  /**
   * Free keywords without duplicates; null clears the list.
   * @example ["river", "parking"]
   */
  @Clearable()
  @Texts({ max: 50, maxLength: 100, unique: true })
  tags?: string[] | null;
}

/** The fields of a facility to change; null clears a field. */
export class UpdateFacility extends patchOf(OmitType(CreateFacility, ['id'] as const)) {}

export class ListFacilities extends PageQuery {
  /** Only facilities of these kinds. */
  @Optional()
  @AnyOf(FACILITY_KINDS)
  kind?: FacilityKind[];

  /** Only facilities in one of these statuses. Archived facilities are listed only with `archived`. */
  @Optional()
  @AnyOf(FACILITY_STATUSES)
  status?: FacilityStatus[];

  /** Only facilities directly within this one (prefix `fac`). */
  @Optional()
  @Id('fac')
  parentFacilityId?: string;

  /** Only facilities in this country, ISO 3166-1 alpha-2. */
  @Optional()
  @CountryCode()
  country?: string;

  /** Only facilities whose name or code contains this text, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Sort field, `name` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['name', 'createdAt'])
  sort?: string;
}

const MOST = Number.MAX_SAFE_INTEGER;

/** Postal address of a facility. */
export class AddressResponse {
  /** Street and number; null if unknown. */
  @Text({ max: 255 })
  line1: string | null;

  /** Building, floor or similar; null if there is none. */
  @Text({ max: 255 })
  line2: string | null;

  /** City or town name; null if unknown. */
  @Text({ max: 255 })
  city: string | null;

  /** State, county or province; null if unknown. */
  @Text({ max: 255 })
  region: string | null;

  /** Postal or ZIP code; null if unknown. */
  @Text({ max: 20 })
  postalCode: string | null;

  /** ISO 3166-1 alpha-2 country code; null if unknown. */
  @CountryCode()
  country: string | null;
}

/** A place such as a hotel, a meeting point or an airport. */
export class FacilityResponse {
  @Id('fac')
  id: string;

  /** Name as staff and customers know the place. */
  @Text({ max: 255 })
  name: string;

  /** Your own short code; null if there is none. */
  @Text({ max: 100 })
  code: string | null;

  /** Type of place; `other` if none was given. */
  @OneOf(FACILITY_KINDS)
  kind: FacilityKind;

  /** `archived` facilities cannot be changed or used for new departures. */
  @OneOf(FACILITY_STATUSES)
  status: FacilityStatus;

  /** Larger facility that contains this one (prefix `fac`); null if none. */
  @Id('fac')
  parentFacilityId: string | null;

  /** Directions or details for staff and customers; null if there are none. */
  @Text({ max: 2000 })
  description: string | null;

  /** IANA time zone of the place; null if unknown. */
  @TimeZone()
  timeZone: string | null;

  /** Postal address; null if no member of it is known. */
  @Nullable()
  @Nested(() => AddressResponse)
  address: AddressResponse | null;

  /** Decimal degrees, north is positive; null if unknown. */
  @Degrees({ max: 90 })
  latitude: number | null;

  /** Decimal degrees, east is positive; null if unknown. */
  @Degrees({ max: 180 })
  longitude: number | null;

  /** Free keywords; empty if there are none. */
  @Texts({ max: 50, maxLength: 100, unique: true })
  tags: string[];

  /** When the facility was archived; null unless its status is `archived`. */
  @Instant()
  deletedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** Number of resources that still refer to the archived facility. */
export class FacilityImpactResponse {
  /** Past and cancelled departures that use it. In the details of the error `facility_in_use`, scheduled future departures. */
  @Whole({ min: 0, max: MOST })
  departures: number;

  /** Facilities within it that are not archived. */
  @Whole({ min: 0, max: MOST })
  children: number;

  /** Ground operators with this home base, including inactive ones. */
  @Whole({ min: 0, max: MOST })
  operators: number;
}

/** Confirmation that a facility was archived. */
export class ArchivedFacilityResponse {
  @Id('fac')
  id: string;

  /** Always `archived`. */
  @OneOf(['archived'])
  status: string;

  /** When the facility was archived. */
  @Instant()
  deletedAt: string;

  /** Resources that still refer to the facility. */
  @Nested(() => FacilityImpactResponse)
  impact: FacilityImpactResponse;
}

export function toFacility(facility: Facility): FacilityResponse {
  return respond(FacilityResponse, facility, {
    address: facility.address(),
    deletedAt: facility.archivedAt?.toISOString() ?? null,
  });
}

export function toArchived(facility: Facility, impact: FacilityImpact): ArchivedFacilityResponse {
  const { departures, children, operators } = impact;
  const deletedAt = (facility.archivedAt ?? facility.updatedAt).toISOString();
  return { id: facility.id, status: facility.status, deletedAt, impact: { departures, children, operators } };
}

export class FacilityEnvelope extends dataOf(FacilityResponse) {}
export class FacilityPage extends pageOf(FacilityResponse) {}
export class ArchivedFacilityEnvelope extends dataOf(ArchivedFacilityResponse) {}
