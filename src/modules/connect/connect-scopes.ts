import type { TextsRule } from '../../platform/http/fields.js';

/** Matches one scope of the connect grammar; only `connect:*` has two segments. */
const CONNECT_SCOPE = /^connect:(\*|([a-z][a-z0-9-]*|\*):([a-z][a-z0-9-]*|\*))$/;

/** Validates every list of scopes on the connect surface. */
export const CONNECT_SCOPES: TextsRule = {
  min: 1,
  max: 64,
  maxLength: 200,
  pattern: CONNECT_SCOPE,
  otherwise: 'must start with connect: and name an area and an action, such as connect:bookings:write; or be connect:*',
  unique: true,
};
