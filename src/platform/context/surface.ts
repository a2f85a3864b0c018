import type { ErrorShape } from '../errors/error-bodies.js';
import type { SURFACES } from '../config/table.js';

export type Surface = (typeof SURFACES)[number];

const PREFIXES: readonly (readonly [string, Surface])[] = [
  ['/v1/admin/', 'staff'],
  ['/connect/', 'connect'],
  // RFC 8414 puts a server's metadata between the host and the path of its issuer.
  ['/.well-known/oauth-authorization-server/connect/', 'connect'],
  ['/vault/', 'vault'],
  ['/realtime/', 'realtime'],
  ['/data/', 'data'],
];

const SHAPES: Record<Surface, ErrorShape> = {
  storefront: 'trade',
  staff: 'trade',
  connect: 'trade',
  vault: 'plain',
  realtime: 'plain',
  data: 'data',
};

/**
 * The surface of a path, whether or not a route exists there: rejected, unknown and malformed requests have no handler.
 * Like routing, it ignores case and a trailing slash.
 */
export function surfaceOf(path: string): Surface {
  const lower = `${path.toLowerCase()}/`;
  return PREFIXES.find(([prefix]) => lower.startsWith(prefix))?.[1] ?? 'storefront';
}

/** The form of error bodies under this path. */
export function errorShapeOf(path: string): ErrorShape {
  return path.toLowerCase().startsWith('/connect/v1/oauth/') ? 'oauth' : SHAPES[surfaceOf(path)];
}
