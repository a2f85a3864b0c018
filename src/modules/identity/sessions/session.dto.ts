import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, Nested, Nullable, OneOf, Optional, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { SecondFactorProof } from '../second-factors/second-factor.dto.js';
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

  /**
   * The `deviceToken` of an earlier login from this device. With it, failed logins from other devices do not limit this one. An
   * unknown or expired one is ignored.
   */
  @Optional()
  @Text({ min: 0, max: 200 })
  deviceToken?: string;
}

/** The second step of a login: the challenge of the first step, and exactly one of `code` and `recoveryCode`. */
export class ContinueLogin extends SecondFactorProof {
  /**
   * The login to continue. Copy it from `details.challengeId` of the error `second_factor_required`; it is valid for five
   * minutes and five attempts.
   * @example "as the error contains it"
   */
  @Text({ max: 200 })
  challengeId: string;

  /** Same as in the first step. */
  @Optional()
  @Text({ min: 0, max: 200 })
  deviceToken?: string;
}

/** Filters and paging of the list of sessions. */
export class ListSessions extends PageQuery {
  /** Lists the sessions of this user instead of the caller's; for another user this requires `identity:read`. */
  @Optional()
  @Id('user')
  userId?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'lastUsedAt'])
  sort?: string;
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

  /**
   * Identifies this device to later logins of the user for 90 days from the last one. It replaces neither the password nor a
   * code; with it, failed logins from other devices do not limit logins from this one.
   */
  @Text({ max: 200 })
  deviceToken: string;
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

  /** Time of the last request, accurate to one minute. */
  @Instant()
  lastUsedAt: string;

  /** Latest end of the session. It also ends after twelve hours without use. */
  @Instant()
  expiresAt: string;

  /** Time of logout or revocation; null while it is open. */
  @Instant()
  endedAt: string | null;

  /** Address from which the user logged in; null if it is unknown. */
  @Nullable()
  @Text({ max: 64 })
  address: string | null;

  /** User agent that the client sent with the login: browser and device; null if it sent none. */
  @Nullable()
  @Text({ max: 300 })
  userAgent: string | null;

  /** Time at which the second factor was last proved in the session, by login or reauthentication; null if never. */
  @Nullable()
  @Instant()
  secondFactorAt: string | null;
}

/** The result of ending the other sessions. */
class EndedSessions {
  /** The number of sessions that were ended. */
  @Whole({ min: 0, max: 1_000_000 })
  endedSessions: number;
}

const CREDENTIALS = ['session', 'api_token'] as const;

/** The user and the permissions of the credential that made the request. */
class MeResponse {
  /** The user on whose behalf the credential acts. */
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

  /**
   * Time zone of the organization, a name of the IANA database. Days without their own time zone are days in this zone.
   * @example "Europe/Berlin"
   */
  @TimeZone()
  timeZone: string;

  /** The current day in that time zone. Do not use the day of the client's clock. */
  @IsoDate()
  today: string;

  /** Currency of the organization's accounts, the `baseCurrency` of the finance settings. */
  @CurrencyCode()
  currency: string;
}

export function toSession(session: StaffSession, currentId: string): SessionResponse {
  return respond(SessionResponse, session, { current: session.id === currentId });
}

export class OpenedSessionEnvelope extends dataOf(OpenedSession) {}
export class EndedSessionsEnvelope extends dataOf(EndedSessions) {}
export class SessionEnvelope extends dataOf(SessionResponse) {}

export class SessionPage extends pageOf(SessionResponse) {}
export class MeEnvelope extends dataOf(MeResponse) {}
