import type { ApiBodyOptions } from '@nestjs/swagger';
import { OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { DEMO_CREDENTIALS } from '../demo-credentials.js';
import type { IssuedToken } from './access-tokens.service.js';

/** Ignores null in JSON, which is a parameter without a value. */
const text = (maxLength: number, description: string, example: string) => ({
  type: 'string',
  nullable: true,
  maxLength,
  description,
  example,
});

const CREDENTIALS = {
  client_id: text(
    200,
    'Public ID of the client; absent if it is sent with HTTP Basic. Copy it from `clientId` of `POST /connect/v1/operators/{operatorId}/oauth-clients`.',
    DEMO_CREDENTIALS.clientId,
  ),
  client_secret: text(
    200,
    'Secret of the client; absent if it is sent with HTTP Basic. Copy it from `clientSecret` of the same response; no other response contains it.',
    DEMO_CREDENTIALS.clientSecret,
  ),
};

/** Accepts a form or JSON with the same members. Allows additional members, because RFC 6749 ignores unknown parameters. */
export const TOKEN_REQUEST: ApiBodyOptions = {
  required: true,
  schema: {
    type: 'object',
    required: ['grant_type'],
    properties: {
      grant_type: {
        type: 'string',
        enum: ['client_credentials'],
        description: 'The only supported grant of RFC 6749, section 4.4',
        example: 'client_credentials',
      },
      ...CREDENTIALS,
      scope: text(
        13_000,
        'Requested scopes, separated by spaces; all scopes of the client by default',
        'connect:bookings:read',
      ),
    },
    additionalProperties: true,
  },
};

/** A request about an access token. Additional members are allowed. */
export const TOKEN_REFERENCE: ApiBodyOptions = {
  required: true,
  schema: {
    type: 'object',
    required: ['token'],
    properties: {
      token: {
        type: 'string',
        maxLength: 1000,
        description:
          'The access token that the request is about. Copy it from `access_token` of `POST /connect/v1/oauth/token`.',
        example: 'oat_unknown',
      },
      token_type_hint: text(100, 'Ignored: only access tokens exist', 'access_token'),
      ...CREDENTIALS,
    },
    additionalProperties: true,
  },
};

/** A new access token according to RFC 6749. */
export class TokenResponse {
  /** The token, sent as `Authorization: Bearer`. */
  @Text({ max: 70, pattern: /^oat_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/ })
  access_token: string;

  /** Type of the token; always `Bearer`. */
  @OneOf(['Bearer'])
  token_type: 'Bearer';

  /** Lifetime in seconds: one hour, or less if the client or its grant ends earlier. */
  @Whole({ min: 0, max: 3600 })
  expires_in: number;

  /** Scopes of the token, separated by spaces. */
  @Text({ max: 13_000 })
  scope: string;
}

export function toTokenResponse({ token, scopes, expiresInSeconds }: IssuedToken): TokenResponse {
  return { access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds, scope: scopes.join(' ') };
}
