import { Flag, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import type { LiveToken } from './access-tokens.service.js';

const MAX_SECONDS = 253_402_300_799;

/** State of an access token according to RFC 7662. If the token is not active, only `active` is present. */
export class IntrospectionResponse {
  /** Whether the token is valid now and belongs to the operator of the requesting client. */
  @Flag()
  active: boolean;

  /** Scopes of the token that its grant still covers, separated by spaces. */
  @Optional()
  @Text({ max: 13_000 })
  scope?: string;

  /** Public ID of the client that received the token. */
  @Optional()
  @Text({ max: 28 })
  client_id?: string;

  /** Subject of the token: the client itself, as in `client_id`. */
  @Optional()
  @Text({ max: 28 })
  sub?: string;

  /** Type of the token; always `Bearer`. */
  @Optional()
  @OneOf(['Bearer'])
  token_type?: 'Bearer';

  /** Expiry in seconds since 1970-01-01 UTC. */
  @Optional()
  @Whole({ min: 0, max: MAX_SECONDS })
  exp?: number;

  /** Time of issue in seconds since 1970-01-01 UTC. */
  @Optional()
  @Whole({ min: 0, max: MAX_SECONDS })
  iat?: number;
}

/** The token as a client of this operator sees it; a token of another operator is not active. */
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
