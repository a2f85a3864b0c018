import type { RequestHandler } from 'express';
import { notFound } from '../errors/app-error.js';
import type { RouteTable } from './route-table.js';

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
