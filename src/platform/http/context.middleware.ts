import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { openContext, type RequestContext } from '../context/request-context.js';
import { surfaceOf } from '../context/surface.js';
import { uuidv7 } from '../ids/id.js';

const MAX_USER_AGENT = 300;
const ACCEPTABLE = /^[A-Za-z0-9._-]{8,128}$/;
const contexts = new WeakMap<IncomingMessage, RequestContext>();

/**
 * The context of a request, for events that are reported without it, such as a closed connection.
 */
export function contextOf(request: IncomingMessage): RequestContext | null {
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
