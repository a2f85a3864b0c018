import { requiresFreshProof } from '../auth/access.js';
import { AppError } from '../errors/app-error.js';
import { type ErrorShape, errorBody } from '../errors/error-bodies.js';
import type { Route } from '../http/routes.js';
import type { RouteErrorCodes } from '../http/route-errors.js';

/** The inputs of an operation besides its path and query, and whether it is a list; each has its own errors. */
export interface Accepted {
  readonly body: boolean;
  readonly idempotencyKey: boolean;
  readonly ifMatch: boolean;
  readonly isList: boolean;
}

export interface StatusCodes {
  readonly status: number;
  /** The codes declared by `@Refuses` on this route. */
  readonly own: readonly string[];
  /** Every code that the route may return with this status; empty if the error has none. */
  readonly codes: readonly string[];
}

/**
 * The (status, code) pairs of a route, by status: the only place that defines them. Those of every route of its kind are
 * declared here, once; all others by `@Refuses` on the route. Tests fail on any other pair.
 */
export function errorCodesOf(route: Route, shape: ErrorShape, accepted: Accepted): StatusCodes[] {
  const generic = genericCodes(route, shape, accepted);
  const statuses = [...new Set([...generic.keys(), ...Object.keys(route.refusals).map(Number)])].sort((a, b) => a - b);
  return statuses.map((status) => {
    const own = route.refusals[status as keyof RouteErrorCodes] ?? [];
    return { status, own, codes: [...new Set([...own, ...(generic.get(status) ?? [])])] };
  });
}

function genericCodes(
  { access, method, mutation, refusals, surface }: Route,
  shape: ErrorShape,
  accepted: Accepted,
): Map<number, readonly string[]> {
  const needsCredential = !access.isPublic || shape === 'oauth' || refusals[403] !== undefined;
  // A violated database constraint that no module has mapped to an error code.
  const conflicts = mutation?.action ? ['conflict'] : [];
  return new Map<number, readonly string[]>([
    [400, ['invalid_request']],
    ...(needsCredential
      ? ([
          [401, ['unauthorized']],
          [403, ['forbidden', ...(surface === 'staff' && access.scope !== null ? sessionCodes(access, method) : [])]],
        ] as const)
      : []),
    [404, ['not_found']],
    ...(accepted.idempotencyKey
      ? ([
          [409, ['idempotency_in_progress', ...conflicts]],
          [422, ['idempotency_key_reused']],
        ] as const)
      : []),
    ...(accepted.isList ? ([[422, ['list_too_large']]] as const) : []),
    ...(accepted.ifMatch ? ([[412, ['precondition_failed']]] as const) : []),
    ...(accepted.body
      ? ([
          [413, ['payload_too_large']],
          [415, ['unsupported_media_type']],
        ] as const)
      : []),
    [429, ['rate_limited']],
    [500, []],
    [503, ['service_unavailable', 'overloaded']],
  ]);
}

/**
 * Reasons why a staff session may not use its scopes: its user must first replace a password chosen by another person, set up a
 * second factor or, for a sensitive change, prove it again.
 */
function sessionCodes(access: Route['access'], method: string): string[] {
  const always = ['password_change_required', 'second_factor_setup_required'];
  return requiresFreshProof(access, method) ? [...always, 'reauthentication_required'] : always;
}

/** The code in a body of this shape; null if the shape has none. */
export function codeInBody(shape: ErrorShape, status: number, code: string): string | null {
  const { code: told } = errorBody(shape, new AppError(status, code, ''), '');
  return typeof told === 'string' ? told : null;
}
