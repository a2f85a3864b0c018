import type { Server, ServerResponse } from 'node:http';
import {
  type BeforeApplicationShutdown,
  type INestApplication,
  Inject,
  Injectable,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { currentContext, type RequestContext } from '../context/request-context.js';
import { routeTemplateOf } from '../http/route-table.js';
import { Metrics } from '../observability/metrics.js';
import type { Logger } from 'pino';
import { Env } from '../config/env.js';
import { Database } from '../database/database.js';
import { Watchdog } from '../database/watchdog.js';
import { unavailable } from '../errors/app-error.js';
import { errorBody, errorHeaders } from '../errors/error-bodies.js';
import { errorShapeOf } from '../context/surface.js';
import { LOG } from '../observability/log.js';
import { setTimeout as pause } from 'node:timers/promises';

/** A request in progress. */
export interface Exchange {
  readonly context: RequestContext;
  readonly request: Request;
  readonly response: Response;
  /** The time of its arrival, by `performance.now()`. */
  readonly since: number;
  /** The time at which its body had arrived; until then the duration depends on the client. */
  workSince: number;
}

/** The requests in progress, and their durations. */
@Injectable()
export class Traffic implements BeforeApplicationShutdown {
  /** This process is about to stop. */
  draining = false;
  /** Not measured until the body has arrived: a slow client delays only itself. */
  private readonly receiving = new Map<ServerResponse, Exchange>();
  private readonly working = new Map<ServerResponse, Exchange>();
  private readonly streaming = new Set<Exchange>();

  constructor(private readonly metrics: Metrics) {
    metrics.gauge({ name: 'http_requests_in_flight', help: 'Requests that are being processed' }, () => this.inFlight);
    metrics.gauge(
      { name: 'http_requests_receiving', help: 'Requests whose body is arriving' },
      () => this.receiving.size,
    );
    metrics.gauge(
      { name: 'http_responses_streaming', help: 'Responses that are being sent' },
      () => this.streaming.size,
    );
  }

  /** Requests that this process works on, not counting those whose body is arriving or whose response is being sent. */
  get inFlight(): number {
    return this.working.size;
  }

  get isIdle(): boolean {
    return this.working.size + this.receiving.size === 0;
  }

  beforeApplicationShutdown(): void {
    this.drain();
  }

  /** From this call on, the process reports that it is not ready, and each response closes its connection. */
  drain(): void {
    this.draining = true;
    for (const response of [...this.receiving.keys(), ...this.working.keys()]) {
      if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }

  /** Middleware; needs the request's context. */
  readonly follow = (request: Request, response: Response, next: NextFunction): void => {
    const since = performance.now();
    const exchange = { context: currentContext(), request, response, since, workSince: since };
    this.receiving.set(response, exchange);
    response.once('close', () => this.leave(exchange));
    next();
  };

  /** Middleware that runs after the body parsers. */
  readonly received = (_request: Request, response: Response, next: NextFunction): void => {
    const exchange = this.receiving.get(response);
    if (exchange) {
      exchange.workSince = performance.now();
      this.receiving.delete(response);
      this.working.set(response, exchange);
    }
    next();
  };

  /**
   * Requests in progress for longer than this time, in milliseconds. A response that has begun depends on the network and
   * counts as a stream.
   */
  overdue(milliseconds: number): Exchange[] {
    const before = performance.now() - milliseconds;
    const late: Exchange[] = [];
    for (const exchange of this.working.values()) {
      if (exchange.response.headersSent) this.stream(exchange);
      else if (exchange.workSince < before) late.push(exchange);
    }
    return late;
  }

  /** Ends responses that do not end by themselves, such as streams; their clients reconnect to another process. */
  endEventStreams(): void {
    for (const { response } of [...this.working.values(), ...this.streaming]) {
      const type = String(response.getHeader('Content-Type') ?? '');
      if (response.headersSent && type.startsWith('text/event-stream')) response.end();
    }
  }

  private stream(exchange: Exchange): void {
    this.working.delete(exchange.response);
    this.streaming.add(exchange);
  }

  private leave(exchange: Exchange): void {
    const { request, response, since } = exchange;
    this.receiving.delete(response);
    this.working.delete(response);
    this.streaming.delete(exchange);
    // Uses the route's template, because labels must be bounded in number, unlike paths.
    const route = routeTemplateOf(request) ?? 'none';
    const labels = { method: request.method, route, status: statusOf(response) };
    this.metrics.requests.observe(labels, (performance.now() - since) / 1000);
  }
}

function statusOf(response: Response): string {
  return response.writableFinished ? `${String(response.statusCode).charAt(0)}xx` : 'aborted';
}

/** Interval of the check: one timer serves all requests. */
const EVERY_MS = 250;

/** Responds with 503 to requests that take too long, and cancels their statements in the database. */
@Injectable()
export class Deadlines implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly traffic: Traffic,
    private readonly database: Database,
    private readonly watchdog: Watchdog,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      for (const exchange of this.traffic.overdue(this.env.requestDeadlineMs)) this.end(exchange);
    }, EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    if (this.timer) clearInterval(this.timer);
  }

  private end({ context, request, response }: Exchange): void {
    const refusal = unavailable('The request took too long');
    this.log.warn({ requestId: context.requestId }, 'a request was aborted at its deadline');
    response.status(refusal.status).set(errorHeaders(refusal));
    response.json(errorBody(errorShapeOf(request.path), refusal, context.requestId));
    this.watchdog.cancel(this.database.abandon(context));
  }
}

const LOOK_EVERY_MS = 50;
/** Time after the last response for requests that clients have already sent on an open connection. */
const GRACE_MS = 300;
/** At most the deadline of a request: requests that still run are then cut off. */
const FINISH_WITHIN_MS = 8_000;
/** Jobs and connections must end within this time: a process that waits for an unavailable database would never end. */
const CLOSE_WITHIN_MS = 10_000;

/**
 * Stops without a rejected or broken request: first the process is reported as not ready to the load balancer, and
 * clients learn that their connections end; then no further request is admitted, and running ones finish; jobs and
 * connections end last. Throws if they did not end in time.
 */
export async function drain(app: INestApplication): Promise<void> {
  const traffic = app.get(Traffic);
  traffic.drain();
  await pause(app.get(Env).drainSeconds * 1000);

  const server = app.getHttpServer() as Server;
  server.close();
  traffic.endEventStreams();
  const began = performance.now();
  let busyAt = began;
  while (performance.now() - busyAt < GRACE_MS && performance.now() - began < FINISH_WITHIN_MS) {
    await pause(LOOK_EVERY_MS);
    if (!traffic.isIdle) busyAt = performance.now();
  }
  server.closeAllConnections();
  const late = pause(CLOSE_WITHIN_MS, 'late', { ref: false });
  if ((await Promise.race([app.close(), late])) === 'late') {
    throw new Error(`Jobs and connections did not end within ${CLOSE_WITHIN_MS} ms`);
  }
}
