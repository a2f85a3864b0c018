import type { ServerResponse } from 'node:http';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { currentContext, type RequestContext } from '../context/request-context.js';
import { routeTemplateOf } from '../http/route-table.js';
import { Metrics } from '../observability/metrics.js';

/** One request on its way. */
export interface Exchange {
  readonly context: RequestContext;
  readonly request: Request;
  readonly response: Response;
  /** When it arrived, by `performance.now()`. */
  readonly since: number;
  /** When its body had arrived: the time until then depends on the client. */
  workSince: number;
}

/** The requests in progress, and their durations. */
@Injectable()
export class Traffic implements BeforeApplicationShutdown {
  /** This process is about to stop. */
  draining = false;
  /** Until the body has arrived; a slow client delays only itself. */
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

  /** Requests that this process works on: without those whose body is arriving or whose response is being sent. */
  get inFlight(): number {
    return this.working.size;
  }

  get isIdle(): boolean {
    return this.working.size + this.receiving.size === 0;
  }

  beforeApplicationShutdown(): void {
    this.drain();
  }

  /** Afterwards the process reports that it is not ready, and each response closes its connection. */
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

  /** Middleware behind the parsers of bodies. */
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
   * Requests in progress for longer than that, in milliseconds. A response that has begun depends on the network and counts
   * as a stream.
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
    // The template: a bounded number of labels, unlike paths.
    const route = routeTemplateOf(request) ?? 'none';
    const labels = { method: request.method, route, status: statusOf(response) };
    this.metrics.requests.observe(labels, (performance.now() - since) / 1000);
  }
}

function statusOf(response: Response): string {
  return response.writableFinished ? `${String(response.statusCode).charAt(0)}xx` : 'aborted';
}
