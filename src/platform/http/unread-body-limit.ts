import type { IncomingMessage, ServerResponse } from 'node:http';

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
