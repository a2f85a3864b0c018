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
  ['/octo/', 'octo'],
];

const SHAPES: Record<Surface, ErrorShape> = {
  storefront: 'trade',
  staff: 'trade',
  connect: 'trade',
  vault: 'plain',
  realtime: 'plain',
  data: 'data',
  octo: 'octo',
};

/**
 * The surface of a path, whether or not a route exists there: rejected, unknown and malformed requests have no handler. Like
 * routing, it ignores case and a trailing slash. It also ignores repeated slashes, although no route has them: a client that
 * joins a base address and a path with one slash too many gets an error that it can read.
 */
export function surfaceOf(path: string): Surface {
  const comparable = comparableTo(path);
  return PREFIXES.find(([prefix]) => comparable.startsWith(prefix))?.[1] ?? 'storefront';
}

/** The form of error bodies under this path. */
export function errorShapeOf(path: string): ErrorShape {
  return comparableTo(path).startsWith('/connect/v1/oauth/') ? 'oauth' : SHAPES[surfaceOf(path)];
}

function comparableTo(path: string): string {
  return `/${path.toLowerCase()}/`.replace(/\/{2,}/g, '/');
}

const EXEMPT = new Set(['/health/live', '/health/ready', '/metrics']);

/**
 * Whether no limit and no admission applies to the request: an orchestrator whose address sends too many requests must not
 * restart this process. Exactly these paths by GET, in this spelling; the query does not matter.
 */
export function isProbeRequest(method: string | undefined, url: string | undefined): boolean {
  return method === 'GET' && EXEMPT.has(url?.split('?', 1)[0] ?? '');
}
