import type { RequestHandler } from 'express';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { contextOf } from '../http/context.middleware.js';

/** One line per answer: who, what, how long. Never a body, never a query's values, never a credential. */
export function requestLog(log: Logger): RequestHandler {
  return pinoHttp({
    logger: log,
    quietReqLogger: true,
    customAttributeKeys: { reqId: 'requestId' },
    genReqId: (request) => contextOf(request)?.requestId ?? '',
    serializers: {
      req: (request: { method: string; url: string }) => ({ method: request.method, path: pathOf(request.url) }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
    customProps: (request) => actorOf(request),
    customLogLevel: (request, response, error) => {
      if (/^\/health\//.test(request.url ?? '')) return 'trace';
      return error || response.statusCode >= 500 ? 'warn' : 'info';
    },
  });
}

/** Asked for twice, before and after; a line would name the actor twice if the first answer were null. */
function actorOf(request: IncomingMessage): { actor?: string } {
  const actor = contextOf(request)?.actor;
  return actor ? { actor: actor.id } : {};
}

function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.slice(0, 256);
}
