import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Handles the requests of a connection one after the other. Node passes on all pipelined requests of a connection at once: twenty
 * connections with 35 kB/s of them delayed every other response by up to ten seconds. While some wait, nothing more is read
 * from the connection.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  /** Of each connection with a request in progress, those that wait for its end. */
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
