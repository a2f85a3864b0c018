import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { EXPENSIVE_READ } from './expensive-read.js';
import { closing } from './closing.js';
import { isProbeRequest } from './probe-requests.js';
import { RequestShares } from './request-shares.js';

/** The database reads and skips the rows before a page: from here on that is most of the work. */
const LARGE_OFFSET = 5_000;

/** Lets a request wait for its turn, in front of all other interceptors and the handler. */
@Injectable()
export class RequestSharesInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly shares: RequestShares,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    if (isProbeRequest(request.method, request.originalUrl)) return next.handle();

    const isDeclared = this.reflector.get<boolean | undefined>(EXPENSIVE_READ, context.getHandler()) ?? false;
    const release = await this.shares.take({ isExpensive: isDeclared || hasLargeOffset(request) });
    // After a client disconnects its work still runs, and a file may be read long after the handler has returned.
    const closed = closing(response);
    return next.handle().pipe(
      finalize(() => {
        if (isEventStream(response)) release();
        else void closed.then(release);
      }),
    );
  }
}

function hasLargeOffset({ query }: Request): boolean {
  return Number(query['offset'] ?? 0) > LARGE_OFFSET;
}

/** It lasts until its client ends it, and needs a connection to the database only now and then. */
function isEventStream(response: Response): boolean {
  return String(response.getHeader('Content-Type') ?? '').startsWith('text/event-stream');
}
