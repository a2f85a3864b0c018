import { OmitType } from '@nestjs/swagger';
import { pageOf, PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, OneOf, Optional, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { CONNECT_SCOPES } from '../connect-scopes.js';
import { GIVEN_ID, type Operator, OPERATOR_STATUSES, type OperatorStatus } from './operator.entity.js';
import { GRANT_STATUSES, type GrantStatus, type OperatorGrant } from './operator-grant.entity.js';

const MAX_VERSION = 2_147_483_647;

export class CreateOperator {
  /** By which the operator is known from now on.
   * @example "op_lakeside" */
  @Text({ max: 64, pattern: GIVEN_ID })
  id: string;

  /** @example "Lakeside Tours" */
  @Text({ max: 120 })
  name: string;

  /** `active` unless given. The clients of an inactive operator are refused at once.
   * @example "active" */
  @Optional()
  @OneOf(OPERATOR_STATUSES)
  status?: OperatorStatus;
}

export class UpdateOperator extends patchOf(OmitType(CreateOperator, ['id'] as const)) {}

export class ListOperators extends PageQuery {}

export class OperatorResponse {
  @Text({ max: 64 })
  id: string;

  @Text({ max: 120 })
  name: string;

  @OneOf(OPERATOR_STATUSES)
  status: OperatorStatus;

  /** Raised by every change; also the ETag. */
  @Whole({ min: 1, max: MAX_VERSION })
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toOperator(operator: Operator): OperatorResponse {
  return {
    id: operator.id,
    name: operator.name,
    status: operator.status,
    version: operator.version,
    createdAt: operator.createdAt.toISOString(),
    updatedAt: operator.updatedAt.toISOString(),
  };
}

export class OperatorPage extends pageOf(OperatorResponse) {}

export class CreateGrant {
  /** What clients under the grant may do at most. Each one must be covered by a scope of the caller.
   * @example ["connect:bookings:*"] */
  @Texts(CONNECT_SCOPES)
  scopes: string[];

  /** In the future; without it the grant has no end.
   * @example "2034-12-31T23:59:59Z" */
  @Clearable()
  @Instant()
  expiresAt?: string | null;
}

export class UpdateGrant extends patchOf(CreateGrant) {
  /** `paused` stops the clients of the grant until it is `active` again; `revoked` stops them for good.
   * @example "paused" */
  @Optional()
  @OneOf(GRANT_STATUSES)
  status?: GrantStatus;
}

export class ListGrants extends PageQuery {
  @Optional()
  @OneOf(GRANT_STATUSES)
  status?: GrantStatus;
}

export class GrantResponse {
  @Text({ max: 64 })
  id: string;

  @Text({ max: 64 })
  operatorId: string;

  @Texts(CONNECT_SCOPES)
  scopes: string[];

  @OneOf(GRANT_STATUSES)
  status: GrantStatus;

  @Instant()
  expiresAt: string | null;

  /** Raised by every change; also the ETag. */
  @Whole({ min: 1, max: MAX_VERSION })
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toGrant(grant: OperatorGrant): GrantResponse {
  return {
    id: grant.id,
    operatorId: grant.operatorId,
    scopes: grant.scopes,
    status: grant.status,
    expiresAt: grant.expiresAt?.toISOString() ?? null,
    version: grant.version,
    createdAt: grant.createdAt.toISOString(),
    updatedAt: grant.updatedAt.toISOString(),
  };
}

export class GrantPage extends pageOf(GrantResponse) {}
