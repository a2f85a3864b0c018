import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Counter } from 'prom-client';
import type { Logger } from 'pino';
import { RateLimits } from './rate-limits.js';
import { RequestShares } from './request-shares.js';
import { Env } from '../config/env.js';
import { addressKey } from '../context/client-address.js';
import { type AppError, unavailable } from '../errors/app-error.js';
import { preparedResponse } from '../http/bare-response.js';
import { allowedOrigins, crossOriginHeaders } from '../http/security-headers.js';
import { uuidv7 } from '../ids/id.js';
import { isProbeRequest } from '../context/surface.js';
import { EventLoop } from '../observability/event-loop.js';
import { LOG } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { Traffic } from './traffic.js';

/** So few requests never cause a slow event loop, so rejecting them would not help. */
const FEW = 16;
/** The event loop is measured ten times a second. */
const FEWER = 0.7;
const MORE = 8;

/**
 * The number of requests admitted at a time. It follows the delay of the event loop, which delays rejections too; more
 * requests than database connections finish no sooner.
 */
export class AdmissionLimit {
  value: number;

  constructor(private readonly bounds: { most: number; lateMs: number }) {
    this.value = bounds.most;
  }

  adapt({ delayMs, inFlight }: { delayMs: number; inFlight: number }): void {
    const { most, lateMs } = this.bounds;
    const isOverloaded = delayMs > lateMs && inFlight >= FEW;
    const wanted = isOverloaded ? Math.max(FEW, this.value * FEWER) : this.value + MORE;
    this.value = Math.min(most, Math.floor(wanted));
  }
}

const LOG_EVERY_MS = 5_000;

/**
 * A rejection that costs next to nothing: its error and its response are created once, because capturing a stack costs half the
 * time of the whole rejection. It has no log line of its own: a process that is flooded has no time to write one.
 */
class CheapRejection {
  private readonly prepared: ReturnType<typeof preparedResponse>;
  private unlogged = 0;
  private loggedAt = -Infinity;

  constructor(
    private readonly error: AppError,
    private readonly reported: { rejected: Counter; log: Logger; message: string },
    private readonly env: Env,
  ) {
    this.prepared = preparedResponse(error);
  }

  send({ url = '/', headers: { origin } }: IncomingMessage, response: ServerResponse, further: string[] = []): void {
    const { headers, body } = this.prepared({ url, requestId: uuidv7() });
    const forPages = Object.entries(crossOriginHeaders(origin, allowedOrigins(this.env))).flat();
    response.writeHead(this.error.status, [...headers, ...forPages, ...further]).end(body);
  }

  /** Writes at most one line in five seconds, with the figures of this rejection. */
  report(figures: Record<string, unknown>): void {
    const { rejected, log, message } = this.reported;
    rejected.inc();
    this.unlogged += 1;
    const now = performance.now();
    if (now - this.loggedAt < LOG_EVERY_MS) return;
    log.warn({ rejected: this.unlogged, ...figures }, message);
    this.unlogged = 0;
    this.loggedAt = now;
  }
}

/**
 * Admits or rejects a request before any work is done for it: before its body is read or its credential verified. Rejected are
 * requests that the process could only complete too late, together with all others, and those of an address that sends too many.
 */
@Injectable()
export class Admission {
  private readonly limit: AdmissionLimit;
  private readonly busy: CheapRejection;
  private readonly tooManyOfAddress: CheapRejection;

  constructor(
    private readonly traffic: Traffic,
    private readonly shares: RequestShares,
    private readonly rates: RateLimits,
    eventLoop: EventLoop,
    env: Env,
    metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    this.limit = new AdmissionLimit({ most: env.maxInFlight, lateMs: env.maxEventLoopDelayMs });
    metrics.gauge(
      { name: 'http_requests_admitted_at_most', help: 'Requests admitted at the same time' },
      () => this.limit.value,
    );
    eventLoop.onWindow((delayMs) => this.limit.adapt({ delayMs, inFlight: this.inFlight }));
    const overloads = metrics.counter({
      name: 'http_overload_rejections_total',
      help: 'Requests rejected with 503 before they were read',
    });
    const ofAddresses = metrics.counter({
      name: 'http_address_rejections_total',
      help: 'Requests rejected with 429 because their address sent too many',
    });
    this.busy = new CheapRejection(
      unavailable('The service is busy', 1_000),
      { rejected: overloads, log, message: 'overloaded: requests are rejected' },
      env,
    );
    this.tooManyOfAddress = new CheapRejection(
      rates.emptyRejection('address'),
      { rejected: ofAddresses, log, message: 'too many requests of an address are rejected' },
      env,
    );
  }

  /** Runs before Express. Returns whether the request is admitted; if not, the response has been sent. */
  readonly admit = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (this.traffic.draining) response.setHeader('Connection', 'close');
    if (!this.isFull() || isProbeRequest(request.method, request.url)) return true;
    this.busy.send(request, response);
    this.busy.report({ inFlight: this.inFlight, limit: this.limit.value });
    return false;
  };

  /** Middleware; must run before all others. It counts the request for its address, and closes the connection of a rejected one. */
  readonly limitAddress = (request: Request, response: Response, next: NextFunction): void => {
    const address = addressKey(request.ip);
    if (isProbeRequest(request.method, request.originalUrl) || this.rates.allows('address', address)) {
      next();
      return;
    }
    this.tooManyOfAddress.send(request, response, ['Connection', 'close']);
    this.tooManyOfAddress.report({ clientAddress: address });
  };

  /** Requests that wait for a turn of their caller do not count: only that caller delays them. */
  private get inFlight(): number {
    return this.traffic.inFlight - this.shares.waiting;
  }

  private isFull(): boolean {
    return this.inFlight >= this.limit.value;
  }
}
