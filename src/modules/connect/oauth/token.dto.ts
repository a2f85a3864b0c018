import type { ApiBodyOptions } from '@nestjs/swagger';
import { OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { DEMO_CREDENTIALS } from '../demo-credentials.js';
import type { IssuedToken } from './access-tokens.service.js';

/** In JSON, null is a parameter without a value, which counts as left out. */
const text = (maxLength: number, description: string, example: string) => ({
  type: 'string',
  nullable: true,
  maxLength,
  description,
  example,
});

const CREDENTIALS = {
  client_id: text(200, 'Absent where the client authenticates by HTTP Basic', DEMO_CREDENTIALS.clientId),
  client_secret: text(200, 'Absent where the client authenticates by HTTP Basic', DEMO_CREDENTIALS.clientSecret),
};

/** A form or JSON with the same members. Open, because RFC 6749 has unknown parameters ignored. */
export const TOKEN_REQUEST: ApiBodyOptions = {
  required: true,
  schema: {
    type: 'object',
    required: ['grant_type'],
    properties: {
      grant_type: { type: 'string', enum: ['client_credentials'], example: 'client_credentials' },
      ...CREDENTIALS,
      scope: text(13_000, 'Scopes, separated by spaces; all of the client without it', 'connect:bookings:read'),
    },
    additionalProperties: true,
  },
};

/** A request about a token that somebody presented. Open, as above. */
export const ABOUT_A_TOKEN: ApiBodyOptions = {
  required: true,
  schema: {
    type: 'object',
    required: ['token'],
    properties: {
      token: { type: 'string', maxLength: 1000, description: 'An access token', example: 'oat_unknown' },
      token_type_hint: text(100, 'Ignored: there are access tokens only', 'access_token'),
      ...CREDENTIALS,
    },
    additionalProperties: true,
  },
};

export class TokenResponse {
  /** To be sent as `Authorization: Bearer`. */
  @Text({ max: 70, pattern: /^oat_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/ })
  access_token: string;

  @OneOf(['Bearer'])
  token_type: 'Bearer';

  /** Seconds; never past the end of the client or its grant. */
  @Whole({ min: 0, max: 3600 })
  expires_in: number;

  /** What the token may do, separated by spaces. */
  @Text({ max: 13_000 })
  scope: string;
}

export function toTokenResponse({ token, scopes, expiresInSeconds }: IssuedToken): TokenResponse {
  return { access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds, scope: scopes.join(' ') };
}
