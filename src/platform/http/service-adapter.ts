import findMyWay, { type HTTPMethod, type HTTPVersion } from 'find-my-way';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { RequestHandler } from '@nestjs/common/interfaces/http/http-server.interface.js';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { limitUnreadBody, oneAtATime, respondToUnreadable } from './connections.js';

/** Each segment is a literal or a parameter. */
const PLAIN = /^(?:\/(?:[\w.-]+|:\w+))+$/;
/** Encoded characters, empty segments and texts that are not a path: find-my-way parses them differently from Express. */
const READ_OTHERWISE = /^[^/]|%|\/\/|[#?]/;
/** Longer than any path that Node accepts. */
const MAX_PARAMETER = 32_768;
const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const satisfies HTTPMethod[];

/**
 * Routes in a radix tree, which finds one in about 2 µs; Express tests its routes in sequence. The tree matches as Express
 * does, ignoring case and a trailing slash. If several routes match, the tree prefers the one with a literal in the first
 * segment that differs, and Express the first one added; so such a route must be added first.
 */
export class RouteTree<Target> {
  private readonly tree = findMyWay<HTTPVersion.V1>({
    caseSensitive: false,
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAMETER,
  });
  private readonly paths = new Map<string, string[]>();

  /** Returns whether the tree can contain a route of this path. */
  static accepts(path: string): boolean {
    return PLAIN.test(path);
  }

  /** Returns whether the tree reads the path of a request as Express does; Express must route the others. */
  static reads(path: string): boolean {
    return !READ_OTHERWISE.test(path);
  }

  /** Throws if Express would send requests of the route to an earlier one, and for a path that the tree cannot contain. */
  add(method: string, path: string, target: Target): void {
    if (!RouteTree.accepts(path)) throw new Error(`The route ${path} does not only consist of literals and parameters`);
    const earlier = this.paths.get(method) ?? [];
    const hiding = earlier.find((other) => hides(other, path));
    if (hiding) throw new Error(`${method} ${hiding} hides ${method} ${path}: declare it later`);
    earlier.push(path);
    this.paths.set(method, earlier);
    this.tree.on(method as HTTPMethod, path, () => undefined, target);
  }

  find(method: string, path: string): { target: Target; params: Record<string, string | undefined> } | null {
    const found = this.tree.find(method as HTTPMethod, path);
    return found && { target: found.store as Target, params: found.params };
  }

  /** The methods of the routes that match the path, sorted. */
  methodsOf(path: string): string[] {
    return METHODS.filter((method) => this.tree.find(method, path) !== null);
  }
}

/** Returns whether some path makes Express use the earlier route and the tree the later one. */
function hides(earlier: string, later: string): boolean {
  const segments = earlier.toLowerCase().split('/');
  const others = later.toLowerCase().split('/');
  if (segments.length !== others.length) return false;
  const isParameter = (segment = '') => segment.startsWith(':');
  const pairs = segments.map((segment, index) => [segment, others[index]] as const);
  if (!pairs.every(([one, other]) => isParameter(one) || isParameter(other) || one === other)) return false;
  const [first] = pairs.find(([one, other]) => isParameter(one) !== isParameter(other)) ?? [];
  return isParameter(first);
}

/** In milliseconds and bytes. Limits how long a slow client may occupy a connection. */
const BOUNDS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than a load balancer keeps an idle connection (usually 60 s). Otherwise it would send a request on a connection that
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
 * Maximum time without a transfer on an active connection: a client that does not read its response would occupy it forever.
 * Slow transfers and idle connections are not affected.
 */
const STALLED_AFTER_MS = 60_000;

/** Connections that wait to be accepted; beyond Node's default of 511, clients would retry after a second. */
const BACKLOG = 4_096;

/** Decides before Express whether a request is admitted; if not, it has sent the response. */
type Admit = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Endpoint {
  readonly path: string;
  readonly handle: RequestHandler;
}

/**
 * Express behind a server that this class creates, because Nest passes server options only to HTTPS servers. It also finds the
 * routes of Nest's controllers in a tree, in front of Express's router, which tests its routes in sequence. This saves 80 of
 * 600 µs per request (docs/performance.md).
 */
export class ServiceAdapter extends ExpressAdapter {
  private readonly endpoints = new RouteTree<Endpoint>();
  private admit: Admit = () => true;

  constructor(private readonly log: Logger) {
    super();
  }

  admitBy(admission: { admit: Admit }): void {
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
   * The last middleware. Express itself routes what is not found here: unknown paths and methods, and paths that the tree would
   * read in another way.
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

  /** Adds the route to the tree; Express gets it too, for paths that the tree does not read. */
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
