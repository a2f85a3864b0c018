import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Id, Ignored, Nested, OneOf, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { CountryCode, Degrees, TimeZone } from '../../../platform/http/trade-fields.js';
import {
  FACILITY_KINDS,
  FACILITY_STATUSES,
  type FacilityKind,
  type FacilityStatus,
  OPEN_STATUSES,
  type OpenStatus,
} from './facility.entity.js';

export class AddressBody {
  /** @example "Strada Portului 12" */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  line1?: string | null;

  /** @example "Pier 3" */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  line2?: string | null;

  /** @example "Tulcea" */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  city?: string | null;

  /** @example "Tulcea" */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  region?: string | null;

  /** @example "820243" */
  @Clearable()
  @Text({ max: 20, emptyIsNull: true })
  postalCode?: string | null;

  /** @example "RO" */
  @Clearable()
  @CountryCode()
  country?: string | null;
}

export class CreateFacility {
  @Ignored()
  id?: undefined;

  /** @example "Tulcea river port" */
  @Text({ max: 255 })
  name: string;

  /** Unique among facilities that are not archived; `hub` and `HUB` are two. */
  @Clearable()
  @Text({ max: 100, emptyIsNull: true })
  code?: string | null;

  /** `other` unless given.
   * @example "meeting_point" */
  @Optional()
  @OneOf(FACILITY_KINDS)
  kind?: FacilityKind;

  /** `active` unless given; archiving is a deletion.
   * @example "active" */
  @Optional()
  @OneOf(OPEN_STATUSES)
  status?: OpenStatus;

  /** The larger place in which it lies.
   * @example "fac_01k0dem000e000000000000001" */
  @Clearable()
  @Id('fac')
  parentFacilityId?: string | null;

  /** @example "Behind the ticket hall" */
  @Clearable()
  @Text({ max: 2000, multiline: true, emptyIsNull: true })
  description?: string | null;

  /** IANA name.
   * @example "Europe/Bucharest" */
  @Clearable()
  @TimeZone()
  timeZone?: string | null;

  /** In a change, members that are left out stay as they are, and null clears the whole. */
  @Clearable()
  @Nested(() => AddressBody)
  address?: AddressBody | null;

  /** Degrees north.
   * @example 45.1787 */
  @Clearable()
  @Degrees({ max: 90 })
  latitude?: number | null;

  /** Degrees east.
   * @example 28.8049 */
  @Clearable()
  @Degrees({ max: 180 })
  longitude?: number | null;

  /** Each once; null clears them.
   * @example ["river", "parking"] */
  @Clearable()
  @Texts({ max: 50, maxLength: 100, unique: true })
  tags?: string[] | null;
}

export class UpdateFacility extends patchOf(OmitType(CreateFacility, ['id'] as const)) {}

export class ListFacilities extends PageQuery {
  @Optional()
  @OneOf(FACILITY_KINDS)
  kind?: FacilityKind;

  /** Archived ones are listed only where this asks for them. */
  @Optional()
  @OneOf(FACILITY_STATUSES)
  status?: FacilityStatus;

  @Optional()
  @Id('fac')
  parentFacilityId?: string;

  @Optional()
  @CountryCode()
  country?: string;

  /** Part of the name or the code, whatever its case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** `name` unless given. */
  @Optional()
  @SortBy(['name', 'createdAt'])
  sort?: string;
}
