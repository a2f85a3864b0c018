import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { RequestHandler } from '@nestjs/common/interfaces/http/http-server.interface.js';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Admission } from './admission.js';
import { RouteTree } from '../http/route-tree.js';
import { limitUnreadBody } from '../http/unread-body-limit.js';
import { respondToUnreadable } from '../http/unreadable-requests.js';
import { oneAtATime } from './one-at-a-time.js';

/** In milliseconds and bytes. Limits how long a slow client may occupy a connection. */
const BOUNDS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than a load balancer keeps an idle connection (60 s as a rule), or it would send a request on a connection that
  // the service has just closed.
  keepAliveTimeout: 65_000,
  // The interval at which timeouts are checked, and by which they may be exceeded.
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
  // Requests without a Host are rejected later, in the shape of their surface.
  requireHostHeader: false,
  insecureHTTPParser: false,
};

/**
 * How long an active connection may transfer nothing: a client that does not read its response would occupy it forever.
 * Slow transfers and idle connections are not affected.
 */
const STALLED_AFTER_MS = 60_000;

/** Connections that wait to be accepted; beyond Node's default of 511, clients would retry after a second. */
const BACKLOG = 4_096;

interface Endpoint {
  readonly path: string;
  readonly handle: RequestHandler;
}

/**
 * Express behind a server that this class creates, because Nest passes server options only to HTTPS servers. It also
 * finds the routes of Nest's controllers in a tree, in front of Express's router, which tests its routes one after the
 * other. This saves 80 of 600 µs per request (docs/performance.md).
 */
export class ServiceAdapter extends ExpressAdapter {
  private readonly endpoints = new RouteTree<Endpoint>();
  private admit: Admission['admit'] = () => true;

  constructor(private readonly log: Logger) {
    super();
  }

  /** Decides before Express whether a request is admitted. */
  admitBy(admission: Pick<Admission, 'admit'>): void {
    this.admit = admission.admit;
  }

  override listen(port: string | number, listening?: () => void): Server;
  override listen(port: string | number, host: string, listening?: () => void): Server;
  override listen(port: string | number, ...rest: (string | (() => void) | undefined)[]): Server {
    const host = rest.find((value) => typeof value === 'string');
    const listening = rest.find((value) => typeof value === 'function');
    return this.httpServer.listen({ port: Number(port), backlog: BACKLOG, ...(host ? { host } : {}) }, listening);
  }

  override get(path: unknown, handle?: RequestHandler): unknown {
    return super.get(path, this.indexed('GET', path, handle));
  }

  override post(path: unknown, handle?: RequestHandler): unknown {
    return super.post(path, this.indexed('POST', path, handle));
  }

  override put(path: unknown, handle?: RequestHandler): unknown {
    return super.put(path, this.indexed('PUT', path, handle));
  }

  override patch(path: unknown, handle?: RequestHandler): unknown {
    return super.patch(path, this.indexed('PATCH', path, handle));
  }

  override delete(path: unknown, handle?: RequestHandler): unknown {
    return super.delete(path, this.indexed('DELETE', path, handle));
  }

  /**
   * Middleware behind all others. Express itself routes what is not found here: unknown paths and methods, and paths that
   * the tree would read in another way.
   */
  readonly route = (request: Request, response: Response, next: NextFunction): unknown => {
    const found = RouteTree.reads(request.path) ? this.find(request) : null;
    if (found === null) return next();
    const { path, handle } = found.target;
    request.params = found.params as Request['params'];
    request.route = { path };
    return handle(request, response, next);
  };

  /** Most responses are unconditional JSON, which does not need what Express checks for other responses. */
  override reply(response: Response, body: unknown, status?: number): void {
    if (!isPlainAnswer(response, body)) {
      super.reply(response, body, status);
      return;
    }
    const text = JSON.stringify(body);
    if (status !== undefined) response.statusCode = status;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(text));
    response.end(text);
  }

  override initHttpServer(): void {
    const express = this.getInstance<RequestListener>();
    const handle = oneAtATime((request, response) => {
      limitUnreadBody(request, response);
      if (this.admit(request, response)) express(request, response);
    });
    const server = createServer(BOUNDS, handle).setTimeout(STALLED_AFTER_MS);
    // An unknown Expect is rejected like other errors; Node would send a 417 without a body.
    server.on('checkExpectation', handle);
    server.on('checkContinue', (request, response) => {
      // If the body is not requested, it may or may not be sent, so the next bytes could be mistaken for a request.
      response.shouldKeepAlive = false;
      server.emit('request', request, response);
    });
    respondToUnreadable(server, this.log);
    this.httpServer = server;
  }

  /** Adds the route to the tree; Express gets it too, for what the tree does not read. */
  private indexed(method: string, path: unknown, handle: RequestHandler | undefined): RequestHandler {
    if (typeof path !== 'string' || !handle) throw new Error('A route has a path and a handler');
    if (RouteTree.accepts(path)) this.endpoints.add(method, path, { path, handle });
    return handle;
  }

  private find({ method, path }: Request) {
    const found = this.endpoints.find(method, path);
    return found ?? (method === 'HEAD' ? this.endpoints.find('GET', path) : null);
  }
}

/** JSON for a request that is neither HEAD nor conditional, without a content type set by the handler. */
function isPlainAnswer(response: Response, body: unknown): boolean {
  const { method, headers } = response.req;
  const isConditional = headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;
  const isJson = typeof body === 'object' && body !== null && [Object, Array].some((kind) => kind === body.constructor);
  return isJson && method !== 'HEAD' && !isConditional && !response.hasHeader('Content-Type');
}
