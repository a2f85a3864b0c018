import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { needsFreshProof } from './scopes.js';

export const ACCESS = 'access';

/** What a route requires of its caller: nothing, any credential of the surface (`scope` null), or this scope. */
export interface Access {
  readonly isPublic: boolean;
  readonly scope: string | null;
  /** The path parameter with the channel to which the scope can be narrowed; null if it cannot be narrowed. */
  readonly narrowedBy: string | null;
  /** Whether a change needs a fresh proof of identity; null: it depends on the scope. */
  readonly freshProof: boolean | null;
}

const READING = ['GET', 'HEAD'];

/**
 * The route needs a credential of its surface that covers this scope; without a name any such credential does. A realtime
 * scope can be narrowed to the channel in the path parameter `narrowedBy`. Changes under special and sensitive scopes need a
 * fresh proof of identity; `freshProof` requires one for a change under another scope, and `false` none for a POST that only reads.
 */
export function RequireScope(
  scope?: string,
  { narrowedBy = null, freshProof = null }: { narrowedBy?: string | null; freshProof?: boolean | null } = {},
): MethodDecorator {
  return SetMetadata(ACCESS, { isPublic: false, scope: scope ?? null, narrowedBy, freshProof } satisfies Access);
}

/** The route needs no credential. */
export function Public(): MethodDecorator {
  return SetMetadata(ACCESS, { isPublic: true, scope: null, narrowedBy: null, freshProof: null } satisfies Access);
}

export function access(reflector: Reflector, context: ExecutionContext): Access {
  const declared = reflector.get<Access | undefined>(ACCESS, context.getHandler());
  // The start fails if a route has no declaration; as a second safeguard, this rejects all callers.
  return declared ?? { isPublic: false, scope: 'undeclared', narrowedBy: null, freshProof: null };
}

/** Whether a session needs a fresh proof of identity for a route with this access and method. */
export function requiresFreshProof({ scope, freshProof }: Access, method: string): boolean {
  return !READING.includes(method) && (freshProof ?? (scope !== null && needsFreshProof(scope)));
}
