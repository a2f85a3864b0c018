import { Clearable, OneOf, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { CONNECT_SCOPES } from '../connect-scopes.js';
import { GIVEN_ID, OPERATOR_STATUSES, type OperatorStatus } from './operator.entity.js';
import { GRANT_STATUSES, type GrantStatus } from './operator-grant.entity.js';

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
