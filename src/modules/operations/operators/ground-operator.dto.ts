import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, Id, Ignored, ListOf, Optional, Text, Texts, Version } from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { EmailAddress, Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import type { GroundOperator } from './ground-operator.entity.js';

/** A local partner that runs transfers, tours or other services. */
export class CreateGroundOperator {
  @Ignored()
  id?: undefined;

  /**
   * Name of the company.
   * @example "Delta Transfers"
   */
  @Text({ max: 255 })
  name: string;

  /** Your own short code; unique, with case significant. An empty string means null. */
  @Clearable()
  @Text({ max: 100, emptyIsNull: true })
  code?: string | null;

  /**
   * Whether staff work with the operator at present; true by default.
   * @example true
   */
  @Optional()
  @Flag()
  active?: boolean;

  /**
   * Home base of the operator (prefix `fac`); must not be archived.
   * @example "fac_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('fac')
  facilityId?: string | null;

  /**
   * Contact person at the operator. An empty string means null.
   * @example "Ioana Marin"
   */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  contactName?: string | null;

  /**
   * E-mail address of the contact person. An empty string means null.
   * @example "dispatch@delta-transfers.example"
   */
  @Clearable()
  @EmailAddress()
  contactEmail?: string | null;

  /**
   * Phone number of the contact person, free text.
   * @example "+40 240 555 010"
   */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  contactPhone?: string | null;

  /**
   * Places that the operator serves, without duplicates; null clears the list.
   * @example ["Tulcea", "Constanta"]
   */
  @Clearable()
  @Texts({ max: 50, maxLength: 255, unique: true })
  serviceAreas?: string[] | null;

  /**
   * Number of the operating license, free text.
   * @example "TR-4711"
   */
  @Clearable()
  @Text({ max: 100, emptyIsNull: true })
  licenseNumber?: string | null;

  /**
   * Last day of insurance cover.
   * @example "2027-12-31"
   */
  @Clearable()
  @IsoDate()
  insuranceExpiresOn?: string | null;

  /**
   * IANA time zone in which the operator works.
   * @example "Europe/Bucharest"
   */
  @Clearable()
  @TimeZone()
  timeZone?: string | null;

  /**
   * Internal notes of staff. An empty string means null.
   * @example "Vans up to 16 seats"
   */
  @Clearable()
  @Text({ max: 2000, multiline: true, emptyIsNull: true })
  notes?: string | null;
}

/** The fields of a ground operator to change; null clears a field. */
export class UpdateGroundOperator extends patchOf(OmitType(CreateGroundOperator, ['id'] as const)) {}

export class ListGroundOperators extends PageQuery {
  /** Only active (true) or only inactive (false) operators. */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Only operators with this home base (prefix `fac`). */
  @Optional()
  @Id('fac')
  facilityId?: string;

  /** Only operators whose name or code contains this text, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Sort field, `name` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['name', 'createdAt'])
  sort?: string;
}

/** A local partner that runs transfers, tours or other services. */
export class GroundOperatorResponse {
  @Id('gop')
  id: string;

  /** Name of the company. */
  @Text({ max: 255 })
  name: string;

  /** Your own short code, unique; null if there is none. */
  @Text({ max: 100 })
  code: string | null;

  /** Whether staff work with the operator at present. */
  @Flag()
  active: boolean;

  /** Home base of the operator (prefix `fac`); null if unknown. */
  @Id('fac')
  facilityId: string | null;

  /** Contact person at the operator; null if unknown. */
  @Text({ max: 255 })
  contactName: string | null;

  /** E-mail address of the contact person; null if unknown. */
  @EmailAddress()
  contactEmail: string | null;

  /** Phone number of the contact person; null if unknown. */
  @Text({ max: 50 })
  contactPhone: string | null;

  /** Places that the operator serves; empty if none are given. */
  @Texts({ max: 50, maxLength: 255, unique: true })
  serviceAreas: string[];

  /** Number of the operating license; null if unknown. */
  @Text({ max: 100 })
  licenseNumber: string | null;

  /** Last day of insurance cover; null if unknown. */
  @IsoDate()
  insuranceExpiresOn: string | null;

  /** IANA time zone in which the operator works; null if unknown. */
  @TimeZone()
  timeZone: string | null;

  /** Internal notes of staff; null if there are none. */
  @Text({ max: 2000 })
  notes: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toGroundOperator(operator: GroundOperator): GroundOperatorResponse {
  return respond(GroundOperatorResponse, operator);
}

export class GroundOperatorEnvelope extends dataOf(GroundOperatorResponse) {}

/** One page of ground operators; its totals are in the response headers. */
export class GroundOperatorList {
  /** Ground operators of this page, by name. */
  @ListOf(() => GroundOperatorResponse, { max: 200 })
  data: GroundOperatorResponse[];
}
