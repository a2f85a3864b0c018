import { parseCredential } from '../../../platform/ids/credentials.js';
import { CHANNEL_SCOPE, PLATFORM_SCOPES } from '../../../platform/auth/scopes.js';
import { patternOf } from '../../../platform/validation/word-pattern.js';
import { Clearable, Flag, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { CheckedText, Instant } from '../../../platform/http/trade-fields.js';

const CONNECT_SCOPE = /connect:(\*|([a-z][a-z0-9-]*|\*):([a-z][a-z0-9-]*|\*))/;

/** A row of the provisioning section `platformKeys`. */
export class ProvidedKey {
  /** Unique name that identifies the key, even if its token changes. */
  @Text({ max: 120 })
  name: string;

  @Texts({
    min: 1,
    max: 64,
    maxLength: 200,
    pattern: patternOf(PLATFORM_SCOPES, CONNECT_SCOPE, CHANNEL_SCOPE),
    otherwise: `must be a scope of connect, such as connect:bookings:write, a realtime scope narrowed to channels, such as realtime:subscribe:bookings.*, or one of ${PLATFORM_SCOPES.join(', ')}`,
    unique: true,
  })
  scopes: string[];

  /** The only operator that the key can act for; null if it is not bound. */
  @Clearable()
  @Text({ max: 64, pattern: /^[A-Za-z0-9_-]+$/ })
  operatorId?: string | null;

  @Clearable()
  @Instant()
  expiresAt?: string | null;

  @Optional()
  @Flag()
  revoked?: boolean;

  /** With `revoked`, true also revokes the OAuth clients that were created with the key, and their descendants. */
  @Optional()
  @Flag()
  revokeChildren?: boolean;

  /** The value of the key. By default an existing key keeps its value and a new key gets a generated one. */
  @Optional()
  @CheckedText('isPlatformKey', (text) => parseCredential(text)?.kind === 'tpk', {
    max: 100,
    message: '$property must be tpk_, 16 base62 characters, _, 43 base62 characters and their checksum of 6',
  })
  token?: string;
}
