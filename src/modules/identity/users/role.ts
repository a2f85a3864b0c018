import { named } from '../../../platform/http/named-values.js';
import { covers, STAFF_MODULES } from '../../../platform/auth/scopes.js';
import { patternOf } from '../../../platform/http/word-pattern.js';

export const ROLES = named('StaffRole', ['owner', 'finance', 'operations', 'sales', 'viewer']);
export type Role = (typeof ROLES)[number];

/** The rule for each role in a list. */
export const ROLE_RULE = {
  pattern: patternOf(ROLES),
  otherwise: `must be one of ${ROLES.join(', ')}`,
  maxLength: 20,
};

const SCOPES: Record<Role, readonly string[]> = {
  owner: ['*'],
  finance: ['finance:*', 'finance:approve', 'finance:void', 'finance:numbering', 'bookings:read'],
  operations: ['distribution:*', 'trips:*', 'legal:*', 'operations:*', 'notifications:*'],
  sales: ['bookings:*', 'trips:*', 'catalog:read', 'distribution:read', 'legal:read'],
  viewer: STAFF_MODULES.map((module) => `${module}:read`),
};

/** All scopes that the roles allow together. */
export function scopesOf(roles: readonly Role[]): string[] {
  return [...new Set(roles.flatMap((role) => SCOPES[role]))];
}

/** The scopes that both lists allow: a token never exceeds the present roles of its user. */
export function scopesInBoth(one: readonly string[], other: readonly string[]): string[] {
  const coveredBy = (list: readonly string[]) => (scope: string) => covers(list, scope);
  return [...new Set([...one.filter(coveredBy(other)), ...other.filter(coveredBy(one))])];
}
