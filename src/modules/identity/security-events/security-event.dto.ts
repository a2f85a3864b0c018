import { PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, Nullable, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { AnyOf, FormerName, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { SECURITY_EVENT_KINDS, type SecurityEvent, type SecurityEventKind } from './security-event.entity.js';

/** Filters and paging of the caller's own security events. All filters must match. */
export class ListOwnSecurityEvents extends PageQuery {
  /** Only events of these kinds. */
  @Optional()
  @AnyOf(SECURITY_EVENT_KINDS)
  kind?: SecurityEventKind[];

  /** Only events at or after this time. */
  @FormerName('from')
  @Optional()
  @Instant()
  createdAfter?: string;

  /** Only events before this time. */
  @FormerName('to')
  @Optional()
  @Instant()
  createdBefore?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

/** Filters and paging of the security events of all users. All filters must match. */
export class ListSecurityEvents extends ListOwnSecurityEvents {
  /** Only events of the account and the credentials of this user. */
  @Optional()
  @Id('user')
  userId?: string;
}

/** An event about an account or a credential. It is kept for 90 days. */
export class SecurityEventResponse {
  @Id('sevt')
  id: string;

  /** What happened. */
  @OneOf(SECURITY_EVENT_KINDS)
  kind: SecurityEventKind;

  /** The user whose account or credential it is; null for an unknown address and for platform keys. */
  @Nullable()
  @Id('user')
  userId: string | null;

  /** The user or API token that caused it, or `system`; null before a login. */
  @Nullable()
  @Text({ max: 100 })
  actorId: string | null;

  /** ID of the session, token, key or device concerned. */
  @Nullable()
  @Text({ max: 100 })
  subjectId: string | null;

  /** Address of the client; null if no request caused it. */
  @Nullable()
  @Text({ max: 64 })
  address: string | null;

  /** User agent that the client sent. */
  @Nullable()
  @Text({ max: 300 })
  userAgent: string | null;

  @Instant()
  createdAt: string;
}

export function toSecurityEvent(event: SecurityEvent): SecurityEventResponse {
  return respond(SecurityEventResponse, event);
}

export class SecurityEventPage extends pageOf(SecurityEventResponse) {}
