const EXEMPT = new Set(['/health/live', '/health/ready', '/metrics']);

/**
 * Whether no limit and no admission applies to the request: an orchestrator whose address sends too many requests must not
 * restart this process. Exactly these paths by GET, in this spelling; the query does not matter.
 */
export function isProbeRequest(method: string | undefined, url: string | undefined): boolean {
  return method === 'GET' && EXEMPT.has(url?.split('?', 1)[0] ?? '');
}
