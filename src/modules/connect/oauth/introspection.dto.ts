import { Flag, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import type { LiveToken } from './access-tokens.service.js';

const MAX_SECONDS = 253_402_300_799;

/** What RFC 7662 has an authorization server say. Of a token that is not good it says nothing but that. */
export class IntrospectionResponse {
  /** Whether the token is good now, and of the operator whose client asks. */
  @Flag()
  active: boolean;

  /** What it may do, separated by spaces: what its grant still covers. */
  @Optional()
  @Text({ max: 13_000 })
  scope?: string;

  /** The client that it was issued to. */
  @Optional()
  @Text({ max: 28 })
  client_id?: string;

  /** Whom the token stands for: the client itself. */
  @Optional()
  @Text({ max: 28 })
  sub?: string;

  @Optional()
  @OneOf(['Bearer'])
  token_type?: 'Bearer';

  /** When it ends, in seconds since 1970. */
  @Optional()
  @Whole({ min: 0, max: MAX_SECONDS })
  exp?: number;

  /** When it was issued, in seconds since 1970. */
  @Optional()
  @Whole({ min: 0, max: MAX_SECONDS })
  iat?: number;
}

/** The token as a client of this operator may see it; another operator's is as good as none. */
export function toIntrospection(token: LiveToken | null, operatorId: string): IntrospectionResponse {
  if (token?.client.operatorId !== operatorId || token.scopes.length === 0) return { active: false };
  const { clientId } = token.client;
  return {
    active: true,
    scope: token.scopes.join(' '),
    client_id: clientId,
    sub: clientId,
    token_type: 'Bearer',
    exp: Math.floor(token.expiresAt.getTime() / 1000),
    iat: Math.floor(token.issuedAt.getTime() / 1000),
  };
}
