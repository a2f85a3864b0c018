import { CHANNEL_NAME } from '../ids/id.js';

/** Staff modules whose wildcard `<module>:*` covers read, write and delete, never the special scopes. */
export const STAFF_MODULES = [
  'finance',
  'bookings',
  'customers',
  'documents',
  'distribution',
  'octo',
  'trips',
  'legal',
  'operations',
  'products',
  'notifications',
  'desk',
  'catalog',
  'action-ledger',
  'identity',
  'organization',
  'webhooks',
] as const;

const PLAIN_ACTIONS = ['read', 'write', 'delete'] as const;
/** Only the wildcard `*` covers these scopes; `finance:receivables` is also covered by `finance:read`. */
export const SPECIAL_SCOPES = [
  'finance:approve',
  'finance:void',
  'finance:numbering',
  'finance:close',
  'finance:refund',
  'finance:receivables',
  'bookings:override',
  'customers:sensitive',
  'customers:privacy',
  'action-ledger:reverse',
] as const;

/** A special scope that a plain scope also covers. */
const COVERED_BY: ReadonlyMap<string, string> = new Map([['finance:receivables', 'finance:read']]);

/** Plain scopes for changes of accounts, of credentials, and of the bank accounts to which customers pay. */
const SENSITIVE_SCOPES: readonly string[] = ['identity:write', 'identity:delete', 'organization:write'];

/** Whether a change that requires this scope needs a fresh proof of identity: a special scope, or a sensitive plain one. */
export function needsFreshProof(scope: string): boolean {
  return SPECIAL_SCOPES.some((special) => special === scope) || SENSITIVE_SCOPES.includes(scope);
}

export const STAFF_SCOPES: readonly string[] = [
  '*',
  ...STAFF_MODULES.flatMap((module) => [`${module}:*`, ...PLAIN_ACTIONS.map((action) => `${module}:${action}`)]),
  ...SPECIAL_SCOPES,
];

export const PLATFORM_SCOPES: readonly string[] = [
  'vault:write',
  'vault:read',
  'vault:keys',
  'realtime:subscribe',
  'realtime:publish',
  'data:geo:read',
  'data:hotels:read',
];

/** The scope with which OAuth clients and keys read the events of their operator. */
export const EVENTS_SCOPE = 'connect:events:read';

const CONNECT_SCOPE = /^connect:([a-z][a-z0-9-]*|\*)(?::([a-z][a-z0-9-]*|\*))?$/;

/**
 * Matches a realtime scope that is narrowed to one channel (`realtime:subscribe:bookings.created`), or to all channels whose
 * names start with a prefix (`realtime:subscribe:bookings.*`).
 */
export const CHANNEL_SCOPE = /realtime:(subscribe|publish):[A-Za-z0-9_=@,.;:-]{1,164}(\.\*)?/;

/** Whether this is a scope of the connect grammar; two segments only as `connect:*`. At most 200 characters. */
export function isConnectScope(scope: string): boolean {
  const match = scope.length <= 200 ? CONNECT_SCOPE.exec(scope) : null;
  return match !== null && (match[2] !== undefined || match[1] === '*');
}

/**
 * Whether the granted scopes cover the required one. Staff: `*`, `<module>:*`, or the scope itself. Connect: segment by
 * segment, never by prefix. `*:write` and `*:delete` require that action in any area of connect. Realtime: the scope itself,
 * or one that is narrowed to the channel or to a prefix of its name. All others match exactly.
 */
export function covers(held: readonly string[], required: string): boolean {
  if (required === '*:read' || required === '*:write' || required === '*:delete') {
    return held.some((scope) => connectAction(scope) === '*' || connectAction(scope) === required.slice(2));
  } else if (required.startsWith('connect:')) {
    return held.some((scope) => coversConnect(scope, required));
  } else if (required.startsWith('realtime:')) {
    return held.some((scope) => coversChannels(scope, required));
  } else {
    const alternative = COVERED_BY.get(required);
    return (
      held.includes(required) ||
      held.includes('*') ||
      coversModule(held, required) ||
      (alternative !== undefined && covers(held, alternative))
    );
  }
}

/** The requested scopes that the granted ones do not cover: a caller cannot grant scopes that it does not have. */
export function excessScopes(held: readonly string[], wanted: readonly string[]): string[] {
  return wanted.filter((scope) => !covers(held, scope));
}

/** The scope with which staff read the events of a channel: that of the module whose name starts it; null if there is none. */
export function channelReadScope(channel: string): string | null {
  const module = STAFF_MODULES.find((name) => name === channel.split('.', 1)[0]);
  return module === undefined ? null : `${module}:read`;
}

/**
 * Returns the scope that a route requires of a caller for this channel: the scope itself, or the scope of the channel if the
 * caller has only narrowed ones. A rejection names the returned scope.
 */
export function scopeForChannel(held: readonly string[], scope: string, channel: string): string {
  const isNarrowed = !held.includes(scope) && held.some((one) => one.startsWith(`${scope}:`));
  return isNarrowed && CHANNEL_NAME.test(channel) ? `${scope}:${channel}` : scope;
}

function coversModule(held: readonly string[], required: string): boolean {
  const [module = '', action = '', ...rest] = required.split(':');
  const isPlain = action === '*' || PLAIN_ACTIONS.some((plain) => plain === action);
  return (
    rest.length === 0 && isPlain && STAFF_MODULES.some((known) => known === module) && held.includes(`${module}:*`)
  );
}

/** The action of a well-formed connect scope, otherwise null; `connect:*` is every action. */
function connectAction(scope: string): string | null {
  const match = isConnectScope(scope) ? CONNECT_SCOPE.exec(scope) : null;
  return match ? (match[2] ?? '*') : null;
}

function coversChannels(held: string, required: string): boolean {
  if (held === required) return true;
  const [surface = '', action = '', ...rest] = required.split(':');
  const whole = `${surface}:${action}`;
  const isPrefix = held.startsWith(`${whole}:`) && held.endsWith('.*');
  return rest.length > 0 && (held === whole || (isPrefix && required.startsWith(held.slice(0, -1))));
}

function coversConnect(held: string, required: string): boolean {
  if (!isConnectScope(held) || !isConnectScope(required)) return false;
  const [, heldArea = '', heldAction = '*'] = held.split(':');
  const [, area = '', action = '*'] = required.split(':');
  return (heldArea === '*' || heldArea === area) && (heldAction === '*' || heldAction === action);
}
