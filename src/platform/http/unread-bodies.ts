import type { IncomingMessage, ServerResponse } from 'node:http';

const MOST_BYTES = 1024 * 1024;
const MOST_MS = 2_000;
const CHECK_EVERY_MS = 50;

function declaresBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/**
 * What a request still sends when it has its response, Node discards without end. Some of it is discarded, since a client
 * that is cut off while it sends does not read the response; then the connection is closed.
 */
export function limitUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (!declaresBody(request)) return;
  response.once('finish', () => {
    if (request.complete) return;
    const { socket } = request;
    const [startBytes, startMs] = [socket.bytesRead, performance.now()];
    const timer = setInterval(() => {
      const isOver = socket.bytesRead - startBytes > MOST_BYTES || performance.now() - startMs > MOST_MS;
      if (!request.complete && isOver) socket.destroy();
      if (request.complete || socket.destroyed) clearInterval(timer);
    }, CHECK_EVERY_MS).unref();
  });
}
