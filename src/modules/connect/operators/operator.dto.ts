import { OmitType } from '@nestjs/swagger';
import { pageOf, PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, OneOf, Optional, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { AnyOf } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { CONNECT_SCOPES } from '../connect-scopes.js';
import { GIVEN_ID, type Operator, OPERATOR_STATUSES, type OperatorStatus } from './operator.entity.js';
import { GRANT_STATUSES, type GrantStatus, type OperatorGrant } from './operator-grant.entity.js';

const MAX_VERSION = 2_147_483_647;

/** A new operator. */
export class CreateOperator {
  /**
   * Permanent ID chosen by the caller.
   * @example "op_lakeside"
   */
  @Text({ max: 64, pattern: GIVEN_ID })
  id: string;

  /**
   * Name for display.
   * @example "Lakeside Tours"
   */
  @Text({ max: 120 })
  name: string;

  /**
   * `active` by default. Clients of an inactive operator are rejected immediately.
   * @example "active"
   */
  @Optional()
  @OneOf(OPERATOR_STATUSES)
  status?: OperatorStatus;
}

/** Changes of an operator; fields that are not sent keep their value. */
export class UpdateOperator extends patchOf(OmitType(CreateOperator, ['id'] as const)) {}

/** Paging of the list of operators. */
export class ListOperators extends PageQuery {}

/** A partner company on whose behalf OAuth clients act. */
export class OperatorResponse {
  /** Permanent ID chosen at creation. */
  @Text({ max: 64 })
  id: string;

  /** Name for display. */
  @Text({ max: 120 })
  name: string;

  /** Whether clients of the operator are accepted. */
  @OneOf(OPERATOR_STATUSES)
  status: OperatorStatus;

  /** Increases with every change. It is also the ETag; If-Match is compared with it. */
  @Whole({ min: 1, max: MAX_VERSION })
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toOperator(operator: Operator): OperatorResponse {
  return respond(OperatorResponse, operator);
}

export class OperatorPage extends pageOf(OperatorResponse) {}

/** A row of the provisioning section `operators`; `active` unless given. */
export class OperatorRow {
  @Text({ max: 64, pattern: GIVEN_ID })
  id: string;

  @Text({ max: 120 })
  name: string;

  @Optional()
  @OneOf(OPERATOR_STATUSES)
  status?: OperatorStatus;
}

/** A new grant of scopes to an operator. */
export class CreateGrant {
  /**
   * Maximum scopes of clients under the grant. Each must be covered by a scope of the caller.
   * @example ["connect:bookings:*"]
   */
  @Texts(CONNECT_SCOPES)
  scopes: string[];

  /**
   * End of the grant, in the future; without end by default.
   * @example "2034-12-31T23:59:59Z"
   */
  @Clearable()
  @Instant()
  expiresAt?: string | null;
}

/** Changes of a grant; fields that are not sent keep their value. */
export class UpdateGrant extends patchOf(CreateGrant) {
  /**
   * `paused` stops the clients of the grant until it is `active` again; `revoked` stops them permanently.
   * @example "paused"
   */
  @Optional()
  @OneOf(GRANT_STATUSES)
  status?: GrantStatus;
}

/** Filters and paging of the grants of an operator. */
export class ListGrants extends PageQuery {
  /** Only grants with one of these statuses. */
  @Optional()
  @AnyOf(GRANT_STATUSES)
  status?: GrantStatus[];
}

/** Scopes granted to an operator, to which OAuth clients can be bound. */
export class GrantResponse {
  /** ID of the grant, unique across operators. */
  @Text({ max: 64 })
  id: string;

  /** The operator that received the grant. */
  @Text({ max: 64 })
  operatorId: string;

  /** Maximum scopes of clients under the grant. */
  @Texts(CONNECT_SCOPES)
  scopes: string[];

  /** Whether clients under the grant are accepted. Expiry does not change it. */
  @OneOf(GRANT_STATUSES)
  status: GrantStatus;

  /** End of the grant; null if it has no end. */
  @Instant()
  expiresAt: string | null;

  /** Increases with every change. It is also the ETag; If-Match is compared with it. */
  @Whole({ min: 1, max: MAX_VERSION })
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toGrant(grant: OperatorGrant): GrantResponse {
  return respond(GrantResponse, grant);
}

export class GrantPage extends pageOf(GrantResponse) {}

/** A row of the provisioning section `operatorGrants`; `active` and without an end unless given. */
export class OperatorGrantRow {
  @Text({ max: 64, pattern: GIVEN_ID })
  id: string;

  @Text({ max: 64, pattern: GIVEN_ID })
  operatorId: string;

  @Texts(CONNECT_SCOPES)
  scopes: string[];

  @Optional()
  @OneOf(GRANT_STATUSES)
  status?: GrantStatus;

  @Clearable()
  @Instant()
  expiresAt?: string | null;
}
