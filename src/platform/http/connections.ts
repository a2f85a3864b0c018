import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { AppError, invalidRequest } from '../errors/app-error.js';
import { uuidv7 } from '../ids/id.js';
import { bareResponse, rawResponse } from './bare-response.js';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Handles the requests of a connection in sequence. Node passes on all pipelined requests of a connection at once: twenty
 * connections with 35 kB/s of them delayed every other response by up to ten seconds. While some wait, nothing more is read
 * from the connection.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  /** Waiting requests of each connection that has a request in progress. */
  const waiting = new WeakMap<Socket, Exchange[]>();

  const begin = (socket: Socket, { request, response }: Exchange): void => {
    response.once('close', () => next(socket));
    handle(request, response);
  };

  const next = (socket: Socket): void => {
    const queue = waiting.get(socket) ?? [];
    const exchange = queue.shift();
    if (!exchange || socket.destroyed) {
      waiting.delete(socket);
      return;
    }
    // The body of the last one may not have arrived yet.
    if (queue.length === 0) socket.resume();
    begin(socket, exchange);
  };

  return (request, response) => {
    const { socket } = request;
    const queue = waiting.get(socket);
    if (queue) {
      queue.push({ request, response });
      socket.pause();
    } else {
      waiting.set(socket, []);
      begin(socket, { request, response });
    }
  };
}

const MOST_BYTES = 1024 * 1024;
const MOST_MS = 2_000;
const CHECK_EVERY_MS = 50;

function declaresBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/**
 * Node discards without limit what a client still sends after its response; if the client wanted the connection
 * closed after the response, Node closes it at once. In both cases some of it is discarded, since a client that is cut off
 * while it sends may not read the response (RFC 9112, 9.6); then the connection is closed.
 */
export function limitUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (!declaresBody(request)) return;
  const { socket } = request;
  let isEnding = false;
  // Node's own listener runs between these two. Its `destroySoon` would discard nothing, and reset the connection.
  response.prependOnceListener('finish', () => {
    if (request.complete || response.shouldKeepAlive) return;
    isEnding = true;
    socket.destroySoon = () => socket.end();
  });
  response.once('finish', () => {
    if (isEnding) Reflect.deleteProperty(socket, 'destroySoon');
    if (request.complete) return;
    const [startBytes, startMs] = [socket.bytesRead, performance.now()];
    const timer = setInterval(() => {
      const isOver = socket.bytesRead - startBytes > MOST_BYTES || performance.now() - startMs > MOST_MS;
      if (request.complete ? isEnding : isOver) socket.destroy();
      if (request.complete || socket.destroyed) clearInterval(timer);
    }, CHECK_EVERY_MS).unref();
  });
}

const FIRST_LINE = /^[A-Z]+ (\/[^\s?]*)/;
const LONGEST_FIRST_LINE = 4 * 1024;

/**
 * Responds to requests that Node's parser rejects like all other errors, with JSON and X-Request-Id. Node's own responses have
 * no body.
 */
export function respondToUnreadable(server: Server, log: Logger): void {
  // The newest response of each connection: an error may only be written while no other response is being written.
  const newest = new WeakMap<Duplex, ServerResponse<IncomingMessage>>();
  server.on('request', (request, response) => newest.set(request.socket, response));

  server.on('clientError', (fault: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex) => {
    const last = newest.get(socket);
    const place = placeOf(last, socket);
    if (fault.code === 'ECONNRESET' || !socket.writable || place === 'during its response') {
      socket.destroy();
    } else if (place === 'after its response') {
      socket.end(() => socket.destroy());
    } else if (place === 'after a running request') {
      // Its response is the last one. Further bytes are not a request and are ignored.
      if (last && !last.headersSent) last.shouldKeepAlive = false;
      last?.once('close', () => socket.end(() => socket.destroy()));
    } else {
      const request = place === 'in the request' ? last : undefined;
      const requestId = String(request?.getHeader('X-Request-Id') ?? uuidv7());
      const clientAddress = socket instanceof Socket ? socket.remoteAddress : undefined;
      log.info({ requestId, clientAddress, fault: fault.code }, 'a request could not be parsed');
      sendAndClose(socket, bareResponse(appErrorOf(fault.code), { requestId, ...urlOf(request, fault.rawPacket) }));
    }
  });

  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const error = new AppError(405, 'method_not_allowed', 'The service is not a proxy', { headers: { Allow: '' } });
    sendAndClose(socket, bareResponse(error, { requestId: uuidv7() }));
  });
}

function appErrorOf(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError(431, 'headers_too_large', 'The headers are larger than 16 KiB');
  } else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new AppError(408, 'request_timeout', 'The request took too long to arrive');
  } else {
    return invalidRequest([{ path: '', message: 'The HTTP request is malformed', code: 'malformed' }]);
  }
}

type Place =
  'between requests' | 'in the request' | 'after its response' | 'during its response' | 'after a running request';

/** The position of the fault relative to the newest request of the connection: each request gets exactly one response. */
function placeOf(newest: ServerResponse<IncomingMessage> | undefined, socket: Duplex): Place {
  if (!newest) return 'between requests';
  const { req, headersSent, writableEnded, writableFinished } = newest;
  if (req.complete) return writableFinished ? 'between requests' : 'after a running request';
  if (writableEnded) return 'after its response';
  return headersSent || newest.socket !== socket ? 'during its response' : 'in the request';
}

/** The URL of the request; if the parser failed before there was a request, it may be in the first line. */
function urlOf(response: ServerResponse<IncomingMessage> | undefined, packet?: Buffer): { url?: string } {
  const start = packet?.subarray(0, LONGEST_FIRST_LINE).toString('latin1') ?? '';
  const url = response?.req.url ?? FIRST_LINE.exec(start)?.[1];
  return url === undefined ? {} : { url };
}

function sendAndClose(socket: Duplex, answer: Parameters<typeof rawResponse>[0]): void {
  socket.end(rawResponse(answer), () => socket.destroy());
}
