import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { AppError, invalidRequest } from '../errors/app-error.js';
import { uuidv7 } from '../ids/id.js';
import { bareResponse, rawResponse } from './bare-response.js';

const FIRST_LINE = /^[A-Z]+ (\/[^\s?]*)/;
const LONGEST_FIRST_LINE = 4 * 1024;

/**
 * Responds to requests that Node's parser rejects like to all others, with JSON and X-Request-Id. Node's own responses have
 * no body.
 */
export function respondToUnreadable(server: Server, log: Logger): void {
  // The newest response of each connection: an error may only be written while no other response is being written.
  const newest = new WeakMap<Duplex, ServerResponse<IncomingMessage>>();
  server.on('request', (request, response) => newest.set(request.socket, response));

  server.on('clientError', (fault: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex) => {
    const last = newest.get(socket);
    const place = placeOf(last, socket);
    if (fault.code === 'ECONNRESET' || !socket.writable || place === 'in what is being answered') {
      socket.destroy();
    } else if (place === 'in what is answered') {
      socket.end(() => socket.destroy());
    } else if (place === 'behind what is running') {
      // Its response is the last one. Further bytes are not a request and are ignored.
      if (last && !last.headersSent) last.shouldKeepAlive = false;
      last?.once('close', () => socket.end(() => socket.destroy()));
    } else {
      const request = place === 'in a request' ? last : undefined;
      const requestId = String(request?.getHeader('X-Request-Id') ?? uuidv7());
      log.info({ requestId, fault: fault.code }, 'a request could not be parsed');
      sayLast(socket, bareResponse(appErrorOf(fault.code), { requestId, ...urlOf(request, fault.rawPacket) }));
    }
  });

  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const refusal = new AppError(405, 'method_not_allowed', 'The service is not a proxy', { headers: { Allow: '' } });
    sayLast(socket, bareResponse(refusal, { requestId: uuidv7() }));
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
  'between requests' | 'in a request' | 'in what is answered' | 'in what is being answered' | 'behind what is running';

/** Position of the fault on its connection, relative to the newest request: each request gets exactly one response. */
function placeOf(newest: ServerResponse<IncomingMessage> | undefined, socket: Duplex): Place {
  if (!newest) return 'between requests';
  const { req, headersSent, writableEnded, writableFinished } = newest;
  if (req.complete) return writableFinished ? 'between requests' : 'behind what is running';
  if (writableEnded) return 'in what is answered';
  return headersSent || newest.socket !== socket ? 'in what is being answered' : 'in a request';
}

/** The URL of the request; if the parser failed before there was a request, it may be in the first line. */
function urlOf(response: ServerResponse<IncomingMessage> | undefined, packet?: Buffer): { url?: string } {
  const start = packet?.subarray(0, LONGEST_FIRST_LINE).toString('latin1') ?? '';
  const url = response?.req.url ?? FIRST_LINE.exec(start)?.[1];
  return url === undefined ? {} : { url };
}

function sayLast(socket: Duplex, answer: Parameters<typeof rawResponse>[0]): void {
  socket.end(rawResponse(answer), () => socket.destroy());
}
