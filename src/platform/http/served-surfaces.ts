import type { RequestHandler } from 'express';
import { notFound } from '../errors/app-error.js';
import { surfaceOf } from '../context/surface.js';

const EVERYWHERE = /^\/(health|metrics|docs|openapi\.json|v1\/files)(\/|$)/i;

/** A process may serve some surfaces only (`SURFACES`); paths of other surfaces are not found. */
export function servedSurfaces(surfaces: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    const isServed = EVERYWHERE.test(request.path) || surfaces.includes(surfaceOf(request.path));
    next(isServed ? undefined : notFound());
  };
}
