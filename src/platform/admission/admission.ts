import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import type { Logger } from 'pino';
import { RequestShares } from './request-shares.js';
import { Env } from '../config/env.js';
import { unavailable } from '../errors/app-error.js';
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
/** Created once: capturing the stack of an error costs half the time of the whole rejection. */
const BUSY = unavailable('The service is busy', 1_000);

/**
 * Admits or rejects a request before any work is done for it, so that admitted requests are completed in time; otherwise an
 * overloaded process would respond to all of them too late.
 */
@Injectable()
export class Admission {
  private readonly rejected: Counter;
  private readonly limit: AdmissionLimit;
  private readonly busy = preparedResponse(BUSY);
  private unlogged = 0;
  private loggedAt = -Infinity;

  constructor(
    private readonly traffic: Traffic,
    private readonly shares: RequestShares,
    eventLoop: EventLoop,
    private readonly env: Env,
    metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.limit = new AdmissionLimit({ most: env.maxInFlight, lateMs: env.maxEventLoopDelayMs });
    metrics.gauge(
      { name: 'http_requests_admitted_at_most', help: 'Requests admitted at the same time' },
      () => this.limit.value,
    );
    eventLoop.onWindow((delayMs) => this.limit.adapt({ delayMs, inFlight: this.inFlight }));
    this.rejected = metrics.counter({
      name: 'http_overload_rejections_total',
      help: 'Requests rejected with 503 before they were read',
    });
  }

  /** Returns whether the request is admitted; if not, the response has been sent. */
  readonly admit = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (this.traffic.draining) response.setHeader('Connection', 'close');
    if (!this.isFull() || isProbeRequest(request.method, request.url)) return true;
    const { headers, body } = this.busy({ url: request.url ?? '/', requestId: uuidv7() });
    const forPages = crossOriginHeaders(request.headers.origin, allowedOrigins(this.env));
    response.writeHead(BUSY.status, [...headers, ...Object.entries(forPages).flat()]).end(body);
    this.count();
    return false;
  };

  /** Requests that wait for a turn of their caller do not count: only that caller delays them. */
  private get inFlight(): number {
    return this.traffic.inFlight - this.shares.waiting;
  }

  private isFull(): boolean {
    return this.inFlight >= this.limit.value;
  }

  /** An overloaded process has no time to log each rejection. */
  private count(): void {
    this.rejected.inc();
    this.unlogged += 1;
    const now = performance.now();
    if (now - this.loggedAt < LOG_EVERY_MS) return;
    const { inFlight } = this;
    const figures = { rejected: this.unlogged, inFlight, limit: this.limit.value };
    this.log.warn(figures, 'overloaded: requests are rejected');
    this.unlogged = 0;
    this.loggedAt = now;
  }
}
