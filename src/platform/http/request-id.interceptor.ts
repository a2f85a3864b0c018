import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { currentContext } from '../context/request-context.js';
import { isComputedNow } from './response-headers.js';

/**
 * Confirms `X-Request-Id` on handled routes and sets the headers that the handler has stored in the context.
 * The only global interceptor: each one costs a tenth of the request rate.
 */
@Injectable()
export class RequestIdInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    const { requestId, headers } = currentContext();
    if (!response.hasHeader('X-Request-Id')) response.setHeader('X-Request-Id', requestId);
    return next.handle().pipe(
      tap(() => {
        for (const [name, value] of headers) response.setHeader(name, value);
        // Express would respond 304 to `If-None-Match: *` even if the response has no version.
        if (!headers.has('ETag') || isComputedNow(context.getHandler())) delete request.headers['if-none-match'];
      }),
    );
  }
}
