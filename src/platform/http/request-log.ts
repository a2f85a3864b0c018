import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { contextOf } from './context.middleware.js';

const MAX_PATH = 256;
/**
 * Nothing but the link protects what lies there. Staff may name a contract by its public id or by its reference, which is
 * logged. Not anchored, because a request line may contain an absolute URL.
 */
const LINKS =
  /(\/v1\/(?:files|public\/legal\/contract(?:s|-pages)|admin\/legal\/contracts(?!\/ctrf_[0-9a-z]{26}(?:\/|$)))\/)[^/]+/i;
/** Some clients put their credential into the path; what has the form of one is blotted out. */
const CREDENTIALS = /(?:(?:vsk|vss|tpk|oat)_[0-9A-Za-z]+|ocs)_[0-9A-Za-z]+/g;

/**
 * One line per answer: who, from where, what, how long. Never a body, never a query's values, never a credential. pino-http would do
 * it with two loggers and a redaction pass for each request, a tenth of the request rate.
 */
export function requestLog(log: Logger): RequestHandler {
  // Every member of the line is chosen here, so there is nothing to blot out.
  const lines = log.child({}, { redact: [] });
  return (request, response, next) => {
    const started = performance.now();
    response.once('close', () => write(lines, { request, response, started }));
    next();
  };
}

function write(
  log: Logger,
  { request, response, started }: { request: Request; response: Response; started: number },
): void {
  const [path = ''] = request.originalUrl.split('?', 1);
  const context = contextOf(request);
  const line = {
    requestId: context?.requestId,
    serverRequestId: context?.serverRequestId,
    // The response may close outside of the context, from which other lines take them.
    trace_id: context?.span?.traceId,
    span_id: context?.span?.spanId,
    req: { method: request.method, path: shown(path) },
    res: { status: response.statusCode },
    responseTime: Math.round(performance.now() - started),
    // Behind a trusted proxy that of the client, not of the proxy.
    ...(context?.client?.address ? { clientAddress: context.client.address } : {}),
    ...(context?.actor ? { actor: context.actor.id } : {}),
  };
  if (path.startsWith('/health/')) log.trace(line, 'request completed');
  else if (!response.writableFinished) log.warn(line, 'request aborted');
  else if (response.statusCode >= 500) log.warn(line, 'request completed');
  else log.info(line, 'request completed');
}

function shown(path: string): string {
  return path.replace(LINKS, '$1[redacted]').slice(0, MAX_PATH).replace(CREDENTIALS, '[redacted]');
}
