import { named } from '../../../platform/http/named-values.js';
import { covers, SPECIAL_SCOPES, STAFF_MODULES } from '../../../platform/auth/scopes.js';
import { patternOf } from '../../../platform/validation/word-pattern.js';

export const ROLES = named('StaffRole', ['owner', 'manager', 'finance', 'operations', 'sales', 'viewer']);
export type Role = (typeof ROLES)[number];

/** The validation rule for each role in a list. */
export const ROLE_RULE = {
  pattern: patternOf(ROLES),
  otherwise: `must be one of ${ROLES.join(', ')}`,
  maxLength: 20,
};

const withoutModules = (...excluded: string[]) => STAFF_MODULES.filter((module) => !excluded.includes(module));

/** A wildcard covers no special scope, so each role lists its special scopes. */
const SCOPES: Record<Role, readonly string[]> = {
  owner: ['*'],
  manager: [
    ...withoutModules('identity', 'organization').map((module) => `${module}:*`),
    ...['identity:read', 'organization:read'],
    ...SPECIAL_SCOPES,
  ],
  finance: [
    ...['finance:*', 'documents:*'],
    ...SPECIAL_SCOPES.filter((scope) => scope.startsWith('finance:')),
    ...['bookings:read', 'customers:read', 'operations:read', 'products:read', 'legal:read', 'action-ledger:read'],
    ...['desk:read', 'desk:write'],
  ],
  operations: [
    ...['operations:*', 'distribution:*', 'octo:*', 'trips:*', 'legal:*', 'notifications:*', 'customers:*'],
    ...['products:*', 'documents:*', 'customers:sensitive', 'bookings:read', 'bookings:write', 'finance:receivables'],
    ...['desk:read', 'desk:write'],
  ],
  sales: [
    ...['bookings:*', 'trips:*', 'customers:*', 'documents:*', 'notifications:write', 'finance:receivables'],
    ...['operations:read', 'distribution:read', 'octo:read', 'products:read', 'catalog:read', 'legal:read'],
    ...['desk:read', 'desk:write'],
  ],
  viewer: withoutModules('identity', 'action-ledger', 'webhooks').map((module) => `${module}:read`),
};

/** All scopes that the roles allow together. */
export function scopesOf(roles: readonly Role[]): string[] {
  return [...new Set(roles.flatMap((role) => SCOPES[role]))];
}

/** The scopes that both lists allow: a token never exceeds the current roles of its user. */
export function scopesInBoth(one: readonly string[], other: readonly string[]): string[] {
  const coveredBy = (list: readonly string[]) => (scope: string) => covers(list, scope);
  return [...new Set([...one.filter(coveredBy(other)), ...other.filter(coveredBy(one))])];
}
