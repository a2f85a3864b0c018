import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, Nested, OneOf, Text, Texts } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { PASSWORD_RULE } from '../users/password-policy.js';
import { UserResponse } from '../users/user.dto.js';
import type { StaffSession } from './staff-session.entity.js';

/** The credentials of a staff user. Wrong values are all rejected with the same 401. */
export class Login {
  /**
   * E-mail address of the user, ignoring case.
   * @example "owner@example.com"
   */
  @Text({ min: 0, max: 255 })
  email: string;

  /**
   * Password of the user, compared exactly.
   * @example "as the first start printed it"
   */
  @Text({ min: 0, max: PASSWORD_RULE.max, verbatim: true })
  password: string;
}

/** A new session with its token. */
class OpenedSession {
  /** Sent as `Authorization: Bearer` with later requests. It is returned only once. */
  @Text({ max: 200 })
  token: string;

  /** Latest end of the session, 30 days after login. It also ends after twelve hours without use. */
  @Instant()
  expiresAt: string;

  /** The user who logged in. */
  @Nested(() => UserResponse)
  user: UserResponse;
}

/** A session of a staff user, without its token. */
export class SessionResponse {
  @Id('sess')
  id: string;

  /** Whether this request was made with it. */
  @Flag()
  current: boolean;

  @Instant()
  createdAt: string;

  /** Time of the last request, up to one minute late. */
  @Instant()
  lastUsedAt: string;

  /** Latest end of the session. It also ends after twelve hours without use. */
  @Instant()
  expiresAt: string;

  /** Time of logout or revocation; null while it is open. */
  @Instant()
  endedAt: string | null;
}

const CREDENTIALS = ['session', 'api_token'] as const;

/** The user and the permissions of the credential that made the request. */
class MeResponse {
  /** The user that the credential acts for. */
  @Nested(() => UserResponse)
  user: UserResponse;

  /** Type of the credential that made the request. */
  @OneOf(CREDENTIALS)
  credential: (typeof CREDENTIALS)[number];

  /**
   * Scopes that the credential has now.
   * @example ["*"]
   */
  @Texts({ max: 64, maxLength: 200 })
  scopes: readonly string[];
}

export function toSession(session: StaffSession, currentId: string): SessionResponse {
  return {
    id: session.id,
    current: session.id === currentId,
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    endedAt: session.endedAt?.toISOString() ?? null,
  };
}

export class OpenedSessionEnvelope extends dataOf(OpenedSession) {}
export class SessionEnvelope extends dataOf(SessionResponse) {}

/** The session that was ended by the logout. */
export class EndedSessionEnvelope {
  /** The ended session; null if the request was made with an API token. */
  @Nested(() => SessionResponse)
  data: SessionResponse | null;
}

export class SessionPage extends pageOf(SessionResponse) {}
export class MeEnvelope extends dataOf(MeResponse) {}
