import type { Request, RequestHandler, Response } from 'express';
import type { SpanAttributes, SpanOutcome } from '../context/span.js';
import { isProbeRequest } from '../admission/probe-requests.js';
import type { Tracer } from '../observability/tracer.js';
import { contextOf } from './context.middleware.js';
import { routeTemplateOf } from './route-table.js';

/**
 * A span for each request but those of orchestrators. It names the route by its template: paths contain ids, and some of them open
 * a document. Neither query, headers nor address become attributes.
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
