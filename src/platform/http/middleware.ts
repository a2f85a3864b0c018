import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { openContext, type RequestContext, type SpanAttributes, type SpanOutcome } from '../context/request-context.js';
import { isProbeRequest, surfaceOf } from '../context/surface.js';
import { uuidv7 } from '../ids/id.js';
import type { Tracer } from '../observability/tracer.js';
import { type RouteTable, routeTemplateOf } from './route-table.js';
import type { Logger } from 'pino';
import { AppError, invalidRequest, type Issue, notFound } from '../errors/app-error.js';

/**
 * Combines several handlers into one. Express's router takes as long to get from one handler to the next as most of the
 * handlers take for their work.
 */
export function chain(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    const from = (index: number): void => {
      const handler = handlers[index];
      if (!handler) return next();
      try {
        void handler(request, response, (error?: unknown) => (error === undefined ? from(index + 1) : next(error)));
      } catch (error) {
        next(error);
      }
    };
    from(0);
  };
}

/** The headers that a handler sets for any request. */
export function headersSetBy(handler: RequestHandler): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const response: unknown = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  void handler({} as Request, response as Response, () => undefined);
  return headers;
}

const MAX_USER_AGENT = 300;
const ACCEPTABLE = /^[A-Za-z0-9._-]{8,128}$/;
const contexts = new WeakMap<IncomingMessage, RequestContext>();

/**
 * The context of a request, for events that are reported without it, such as a closed connection.
 */
function contextOf(request: IncomingMessage): RequestContext | null {
  return contexts.get(request) ?? null;
}

/**
 * Opens the request's context and sets `X-Request-Id` before any check, so that every error response carries it. A
 * client's own id is used if it is well-formed.
 */
export function requestContext(request: Request, response: Response, next: NextFunction): void {
  const serverRequestId = uuidv7();
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && ACCEPTABLE.test(given) ? given : serverRequestId;
  const client = {
    address: request.ip ?? '',
    userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
  };
  const surface = surfaceOf(request.path);
  const context: RequestContext = { requestId, serverRequestId, actor: null, client, surface, headers: new Map() };

  // `Cache-Control` of a request does not concern If-None-Match (RFC 9110, 13.1.2); because of the `no-cache` that
  // fetch adds to every conditional request, Express would send the whole body.
  if (request.headers['if-none-match'] !== undefined) delete request.headers['cache-control'];

  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Cache-Control', 'private, no-store');
  response.setHeader('Vary', 'Authorization, Accept');
  contexts.set(request, context);
  openContext(context, () => next());
}

/**
 * Records a span for each request except those of orchestrators. The span names the route by its template: paths contain ids,
 * and some of them open a document. Neither query, headers nor address become attributes.
 */
export function traceRequests(tracer: Tracer): RequestHandler {
  return (request, response, next) => {
    const context = contextOf(request);
    if (context && !isProbeRequest(request.method, request.originalUrl)) {
      const { method, headers } = request;
      const attributes = { 'http.request.method': method, 'request.id': context.serverRequestId };
      const { traceparent } = headers;
      const span = tracer.receive(
        { kind: 'server', name: method, attributes },
        typeof traceparent === 'string' ? traceparent : undefined,
      );
      context.span = span;
      response.once('close', () => span.end(outcomeOf(request, response)));
    }
    next();
  };
}

function outcomeOf(request: Request, response: Response): SpanOutcome {
  const { method } = request;
  const route = routeTemplateOf(request);
  const known: SpanAttributes = route === null ? {} : { 'http.route': route };
  const name = route === null ? method : `${method} ${route}`;
  // The client has left; no fault of the service.
  if (!response.writableFinished) return { name, attributes: { ...known, 'error.type': 'aborted' } };
  const { statusCode } = response;
  const attributes = { ...known, 'http.response.status_code': statusCode };
  return statusCode >= 500 ? { name, attributes, errorType: String(statusCode) } : { name, attributes };
}

const MAX_PATH = 256;
/**
 * Only the link protects these resources. Staff may name a contract by its public id or by its reference, which is logged. Not
 * anchored, because a request line may contain an absolute URL.
 */
const LINKS =
  /(\/v1\/(?:files|public\/notifications\/unsubscriptions|public\/operations\/waiting-offers|public\/legal\/contract(?:s|-pages)|admin\/legal\/contracts(?!\/ctrf_[0-9a-z]{26}(?:\/|$)))\/)[^/]+/i;
/** Some clients put their credential into the path; anything in the form of one is redacted. */
const CREDENTIALS = /(?:(?:vsk|vss|tpk|oat|rts|rtt)_[0-9A-Za-z]+|ocs)_[0-9A-Za-z]+/g;

/**
 * Logs one line per response: caller, address, request, duration. Never a body, never a query's values, never a credential.
 * pino-http would do it with two loggers and a redaction pass for each request, a tenth of the request rate.
 */
export function requestLog(log: Logger): RequestHandler {
  // Every member of the line is chosen here, so there is nothing to redact.
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
    // Other lines take these from the context, but the response may close outside it.
    trace_id: context?.span?.traceId,
    span_id: context?.span?.spanId,
    req: { method: request.method, path: shown(path) },
    res: { status: response.statusCode },
    responseTime: Math.round(performance.now() - started),
    // Behind a trusted proxy this is the client's address, not the proxy's.
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

const EVERYWHERE = /^\/(health|metrics|docs|openapi\.json|v1\/files)(\/|$)/i;

/** A process may serve some surfaces only (`SURFACES`); paths of other surfaces are not found. */
export function servedSurfaces(surfaces: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    const isServed = EVERYWHERE.test(request.path) || surfaces.includes(surfaceOf(request.path));
    next(isServed ? undefined : notFound());
  };
}

/**
 * Responds to OPTIONS: to a CORS preflight request with the headers that the CORS middleware has set, to any other with the
 * methods of the path.
 */
export function respondToOptions(routes: RouteTable, { cors }: { cors: boolean }): RequestHandler {
  return (request, response, next) => {
    const isPreflight = cors && request.headers['access-control-request-method'] !== undefined;
    if (request.method !== 'OPTIONS') return next();
    if (isPreflight) return void response.status(204).end();
    const methods = routes.methodsOf(request.path);
    if (methods.length === 0) return next(notFound());
    response.status(204).setHeader('Allow', [...methods, 'OPTIONS'].join(', '));
    response.end();
  };
}

const MAX_HEADERS = 100;
const MAX_PARAMETERS = 100;

/**
 * Node keeps the first of these headers, or joins them all. A request with duplicates is ambiguous, because a proxy may read
 * the other one.
 */
const ONCE = new Map(
  [
    'Host',
    'Authorization',
    'X-Api-Key',
    'Content-Type',
    'Content-Encoding',
    'Expect',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'X-Request-Id',
  ].map((name) => [name.toLowerCase(), name]),
);
const HOST = /^[A-Za-z0-9.\-_~:[\]%]{0,300}$/;

/** Rejects requests that Node accepts although they are ambiguous or incomplete. */
export function requireWellFormed(request: Request, _response: Response, next: NextFunction): void {
  next(faultOf(request) ?? undefined);
}

function faultOf(request: Request): AppError | null {
  const { rawHeaders, headers, url } = request;
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return new AppError(431, 'headers_too_large', `The request has more than ${MAX_HEADERS} headers`);
  }
  const { expect } = headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new AppError(417, 'expectation_failed', 'The only supported expectation is 100-continue');
  }
  const issues = [...repeatedHeaders(rawHeaders), ...hostFaults(request), ...queryFaults(url)];
  return issues.length > 0 ? invalidRequest(issues) : null;
}

function repeatedHeaders(rawHeaders: string[]): Issue[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = ONCE.get(rawHeaders[at]?.toLowerCase() ?? '');
    if (name === undefined) continue;
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  return [...repeated].map((path) => ({ path, message: 'Duplicate header', code: 'duplicate_header' }));
}

/** RFC 9112, 3.2: HTTP/1.1 without a valid Host is rejected. */
function hostFaults({ headers: { host }, httpVersion }: Request): Issue[] {
  const isGiven = host !== undefined || httpVersion === '1.0';
  return isGiven && HOST.test(host ?? '')
    ? []
    : [{ path: 'Host', message: 'must be a valid host name', code: 'wrong_format' }];
}

/** Node's query parser keeps broken encodings as they are and drops everything after a thousand parameters. */
function queryFaults(url: string): Issue[] {
  const at = url.indexOf('?');
  if (at === -1) return [];
  const query = url.slice(at + 1);
  if (query.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    return [
      {
        path: '',
        message: `The query has more than ${MAX_PARAMETERS} parameters`,
        code: 'too_many_parameters',
        params: { max: MAX_PARAMETERS },
      },
    ];
  }
  try {
    decodeURIComponent(query);
    return [];
  } catch {
    return [{ path: '', message: 'The query is not percent-encoded UTF-8', code: 'encoding' }];
  }
}
