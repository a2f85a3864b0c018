import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { currentContext, type RequestContext } from '../context/request-context.js';
import { Metrics } from '../observability/metrics.js';

/** One request on its way. */
export interface Exchange {
  readonly context: RequestContext;
  readonly request: Request;
  readonly response: Response;
  /** When it came, by `performance.now()`. */
  readonly since: number;
}

/** The requests that are being answered, and how long each took. */
@Injectable()
export class Traffic {
  private readonly exchanges = new Map<ServerResponse, Exchange>();

  constructor(private readonly metrics: Metrics) {
    const figure = { name: 'http_requests_in_flight', help: 'Requests that are being answered' };
    metrics.gauge(figure, () => this.inFlight);
  }

  get inFlight(): number {
    return this.exchanges.size;
  }

  /** Middleware; needs the request's context. */
  readonly follow = (request: Request, response: Response, next: NextFunction): void => {
    const exchange = { context: currentContext(), request, response, since: performance.now() };
    this.exchanges.set(response, exchange);
    response.once('close', () => this.leave(exchange));
    next();
  };

  private leave({ request, response, since }: Exchange): void {
    this.exchanges.delete(response);
    const { method } = request;
    const seconds = (performance.now() - since) / 1000;
    this.metrics.requests.observe({ method, route: routeOf(request), status: statusOf(response) }, seconds);
  }
}

/** The router's template; there is a limited number of them, while there is none to the paths that clients think up. */
function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : 'none';
}

function statusOf(response: Response): string {
  return response.writableFinished ? `${String(response.statusCode).charAt(0)}xx` : 'aborted';
}
