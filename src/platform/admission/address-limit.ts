import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Counter } from 'prom-client';
import type { Logger } from 'pino';
import { isProbeRequest } from '../context/surface.js';
import { Env } from '../config/env.js';
import { addressKey } from '../context/client-address.js';
import { type PreparedResponse, preparedResponse } from '../http/bare-response.js';
import { allowedOrigins, crossOriginHeaders } from '../http/security-headers.js';
import { uuidv7 } from '../ids/id.js';
import { RateLimits } from './rate-limits.js';
import { LOG } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';

const LOG_EVERY_MS = 5_000;

/**
 * Counts every request for its address, before its body is read or its credential verified. A request above the limit costs next to
 * nothing: its response is prepared, closes the connection, and has no log line of its own.
 */
@Injectable()
export class AddressLimit {
  private readonly rejected: Counter;
  private readonly tooMany: (given: { url: string; requestId: string }) => PreparedResponse;
  private unlogged = 0;
  private loggedAt = -Infinity;

  constructor(
    private readonly limits: RateLimits,
    private readonly env: Env,
    metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.tooMany = preparedResponse(limits.emptyRejection('address'));
    this.rejected = metrics.counter({
      name: 'http_address_rejections_total',
      help: 'Requests rejected with 429 because their address sent too many',
    });
  }

  /** This middleware must run before all others. */
  readonly apply = (request: Request, response: Response, next: NextFunction): void => {
    const address = addressKey(request.ip);
    if (isProbeRequest(request.method, request.originalUrl) || this.limits.allows('address', address)) {
      next();
      return;
    }
    const { headers, body } = this.tooMany({ url: request.originalUrl, requestId: uuidv7() });
    const forPages = crossOriginHeaders(request.headers.origin, allowedOrigins(this.env));
    response.writeHead(429, [...headers, ...Object.entries(forPages).flat(), 'Connection', 'close']).end(body);
    this.count(address);
  };

  private count(address: string): void {
    this.rejected.inc();
    this.unlogged += 1;
    const now = performance.now();
    if (now - this.loggedAt < LOG_EVERY_MS) return;
    this.log.warn({ rejected: this.unlogged, clientAddress: address }, 'too many requests of an address are rejected');
    this.unlogged = 0;
    this.loggedAt = now;
  }
}
