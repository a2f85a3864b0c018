import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, Id, Ignored, ListOf, Optional, Text, Texts, Version } from '../../../platform/http/fields.js';
import { QueryFlag } from '../../../platform/http/query-fields.js';
import { EmailAddress, Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import type { GroundOperator } from './ground-operator.entity.js';

export class CreateGroundOperator {
  @Ignored()
  id?: undefined;

  /** @example "Delta Transfers" */
  @Text({ max: 255 })
  name: string;

  /** Unique; `delta` and `DELTA` are two. */
  @Clearable()
  @Text({ max: 100, emptyIsNull: true })
  code?: string | null;

  /** true unless given.
   * @example true */
  @Optional()
  @Flag()
  active?: boolean;

  /** Where it is at home.
   * @example "fac_01k0dem000e000000000000001" */
  @Clearable()
  @Id('fac')
  facilityId?: string | null;

  /** @example "Ioana Marin" */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  contactName?: string | null;

  /** @example "dispatch@delta-transfers.example" */
  @Clearable()
  @EmailAddress()
  contactEmail?: string | null;

  /** @example "+40 240 555 010" */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  contactPhone?: string | null;

  /** Each once; null clears them.
   * @example ["Tulcea", "Constanta"] */
  @Clearable()
  @Texts({ max: 50, maxLength: 255, unique: true })
  serviceAreas?: string[] | null;

  /** @example "TR-4711" */
  @Clearable()
  @Text({ max: 100, emptyIsNull: true })
  licenseNumber?: string | null;

  /** @example "2027-12-31" */
  @Clearable()
  @IsoDate()
  insuranceExpiresOn?: string | null;

  /** IANA name.
   * @example "Europe/Bucharest" */
  @Clearable()
  @TimeZone()
  timeZone?: string | null;

  /** @example "Vans up to 16 seats" */
  @Clearable()
  @Text({ max: 2000, multiline: true, emptyIsNull: true })
  notes?: string | null;
}

export class UpdateGroundOperator extends patchOf(OmitType(CreateGroundOperator, ['id'] as const)) {}

export class ListGroundOperators extends PageQuery {
  @Optional()
  @QueryFlag()
  active?: boolean;

  @Optional()
  @Id('fac')
  facilityId?: string;

  /** Part of the name or the code, whatever its case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;
}

export class GroundOperatorResponse {
  @Id('gop')
  id: string;

  @Text({ max: 255 })
  name: string;

  @Text({ max: 100 })
  code: string | null;

  @Flag()
  active: boolean;

  @Id('fac')
  facilityId: string | null;

  @Text({ max: 255 })
  contactName: string | null;

  @EmailAddress()
  contactEmail: string | null;

  @Text({ max: 50 })
  contactPhone: string | null;

  @Texts({ max: 50, maxLength: 255, unique: true })
  serviceAreas: string[];

  @Text({ max: 100 })
  licenseNumber: string | null;

  @IsoDate()
  insuranceExpiresOn: string | null;

  @TimeZone()
  timeZone: string | null;

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
  return {
    id: operator.id,
    name: operator.name,
    code: operator.code,
    active: operator.active,
    facilityId: operator.facilityId,
    contactName: operator.contactName,
    contactEmail: operator.contactEmail,
    contactPhone: operator.contactPhone,
    serviceAreas: operator.serviceAreas,
    licenseNumber: operator.licenseNumber,
    insuranceExpiresOn: operator.insuranceExpiresOn,
    timeZone: operator.timeZone,
    notes: operator.notes,
    version: operator.version,
    createdAt: operator.createdAt.toISOString(),
    updatedAt: operator.updatedAt.toISOString(),
  };
}

export class GroundOperatorEnvelope extends dataOf(GroundOperatorResponse) {}

/** `data` and nothing beside it; what a page lacks is told by its headers. */
export class GroundOperatorList {
  @ListOf(() => GroundOperatorResponse, { max: 200 })
  data: GroundOperatorResponse[];
}
