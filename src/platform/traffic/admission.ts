import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import type { Logger } from 'pino';
import { Env } from '../config/env.js';
import { unavailable } from '../errors/app-error.js';
import { bareAnswer } from '../http/bare-answer.js';
import { uuidv7 } from '../id.js';
import { EventLoop } from '../observability/event-loop.js';
import { LOG } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { Traffic } from './traffic.js';

const ALWAYS = /^\/(health|metrics)([/?]|$)/i;
/** So few requests are never the reason that the event loop is late; refusing them would help nobody. */
const FEW = 16;
const LOG_EVERY_MS = 5_000;
const RETRY_AFTER_MS = 1_000;

/**
 * Lets a request in, or refuses it before it costs anything. Whoever is let in is answered in good time; without this,
 * an overloaded process answers everybody too late.
 */
@Injectable()
export class Admission {
  private readonly refused: Counter;
  private unlogged = 0;
  private loggedAt = -Infinity;

  constructor(
    private readonly traffic: Traffic,
    private readonly eventLoop: EventLoop,
    private readonly env: Env,
    metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.refused = metrics.counter({ name: 'http_overload_refusals_total', help: 'Requests refused by 503 unread' });
  }

  /** Whether the request may go on; where it may not, it is answered. */
  readonly admit = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (this.traffic.draining) response.setHeader('Connection', 'close');
    if (!this.isFull() || ALWAYS.test(request.url ?? '')) return true;
    const given = { requestId: uuidv7(), ...(request.url === undefined ? {} : { url: request.url }) };
    const { status, headers, body } = bareAnswer(unavailable('The service is busy', RETRY_AFTER_MS), given);
    response.writeHead(status, headers).end(body);
    this.count();
    return false;
  };

  private isFull(): boolean {
    const { inFlight } = this.traffic;
    const isLate = inFlight >= FEW && this.eventLoop.recentDelayMs > this.env.maxEventLoopDelayMs;
    return inFlight >= this.env.maxInFlight || isLate;
  }

  /** A line for each would be work that an overloaded process has no time for. */
  private count(): void {
    this.refused.inc();
    this.unlogged += 1;
    const now = performance.now();
    if (now - this.loggedAt < LOG_EVERY_MS) return;
    const { inFlight } = this.traffic;
    const delayMs = Math.round(this.eventLoop.recentDelayMs);
    this.log.warn({ refused: this.unlogged, inFlight, eventLoopDelayMs: delayMs }, 'overloaded: requests are refused');
    this.unlogged = 0;
    this.loggedAt = now;
  }
}
