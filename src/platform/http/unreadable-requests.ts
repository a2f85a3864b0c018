import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { AppError, invalidRequest } from '../errors/app-error.js';
import { uuidv7 } from '../id.js';
import { bareAnswer, lastWords } from './bare-answer.js';

const FIRST_LINE = /^[A-Z]+ (\/\S*) HTTP\/1\.[01]\r?\n/;
const LONGEST_FIRST_LINE = 4 * 1024;

/**
 * Answers what Node's parser refuses before there is a request (or in the midst of its body) like everything else: as
 * JSON and with X-Request-Id. Node's own answers are bare.
 */
export function answerUnreadable(server: Server, log: Logger): void {
  // The newest response of each connection: a refusal may only be written where no other answer is being written.
  const newest = new WeakMap<Duplex, ServerResponse<IncomingMessage>>();
  server.on('request', (request, response) => newest.set(request.socket, response));

  server.on('clientError', (fault: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex) => {
    const running = newest.get(socket);
    const response = running?.writableEnded === false ? running : null;
    const isFree = response === null || (response.socket === socket && !response.headersSent);
    if (fault.code === 'ECONNRESET' || !socket.writable || !isFree) {
      socket.destroy();
    } else {
      const requestId = String(response?.getHeader('X-Request-Id') ?? uuidv7());
      log.info({ requestId, fault: fault.code }, 'a request could not be read');
      sayLast(socket, bareAnswer(refusalOf(fault.code), { requestId, ...urlOf(response, fault.rawPacket) }));
    }
  });

  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const refusal = new AppError(405, 'method_not_allowed', 'This is no proxy', { headers: { Allow: '' } });
    sayLast(socket, bareAnswer(refusal, { requestId: uuidv7() }));
  });
}

function refusalOf(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError(431, 'headers_too_large', 'The headers are larger than 16 KiB');
  } else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new AppError(408, 'request_timeout', 'The request took too long to arrive');
  } else {
    return invalidRequest([{ path: '', message: 'This is not a well-formed HTTP request', code: 'malformed' }]);
  }
}

/** Of the request; where the parser gave up before there was one, its first line may still say it. */
function urlOf(response: ServerResponse<IncomingMessage> | null, packet?: Buffer): { url?: string } {
  const start = packet?.subarray(0, LONGEST_FIRST_LINE).toString('latin1') ?? '';
  const url = response?.req.url ?? FIRST_LINE.exec(start)?.[1];
  return url === undefined ? {} : { url };
}

function sayLast(socket: Duplex, answer: Parameters<typeof lastWords>[0]): void {
  socket.end(lastWords(answer), () => socket.destroy());
}
