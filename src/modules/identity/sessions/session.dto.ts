import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, Nested, OneOf, Text, Texts } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { UserResponse } from '../users/user.dto.js';
import type { StaffSession } from './staff-session.entity.js';

/** Any text is let through: whatever is wrong with it, the answer is the same 401. */
export class Login {
  /** Whatever its case.
   * @example "owner@example.com" */
  @Text({ min: 0, max: 255 })
  email: string;

  /** @example "as the first start printed it" */
  @Text({ min: 0, max: 200, verbatim: true })
  password: string;
}

class OpenedSession {
  /** Sent as `Authorization: Bearer`; shown only here. */
  @Text({ max: 200 })
  token: string;

  /** When the session ends at the latest; it also ends after twelve hours without use. */
  @Instant()
  expiresAt: string;

  @Nested(() => UserResponse)
  user: UserResponse;
}

export class SessionResponse {
  @Id('sess')
  id: string;

  /** Whether this request was made with it. */
  @Flag()
  current: boolean;

  @Instant()
  createdAt: string;

  /** Up to a minute behind. */
  @Instant()
  lastUsedAt: string;

  @Instant()
  expiresAt: string;

  @Instant()
  endedAt: string | null;
}

const CREDENTIALS = ['session', 'api_token'] as const;

class MeResponse {
  @Nested(() => UserResponse)
  user: UserResponse;

  /** What the request was made with. */
  @OneOf(CREDENTIALS)
  credential: (typeof CREDENTIALS)[number];

  /** What this credential may do now.
   * @example ["*"] */
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

export class EndedSessionEnvelope {
  /** Null where the request was made with an API token. */
  @Nested(() => SessionResponse)
  data: SessionResponse | null;
}

export class SessionPage extends pageOf(SessionResponse) {}
export class MeEnvelope extends dataOf(MeResponse) {}
