import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { findContext } from '../context/request-context.js';
import { errorShapeOf, surfaceOf } from '../context/surface.js';
import { RouteTable, routeTemplateOf } from './route-table.js';
import { LOG } from '../observability/log.js';
import { ErrorReports } from '../observability/error-reports.js';
import { Metrics } from '../observability/metrics.js';
import { AppError } from '../errors/app-error.js';
import { databaseErrorOf, isUnmapped } from '../errors/database-errors.js';
import { errorBody, errorHeaders, errorStatus } from '../errors/error-bodies.js';
import { toAppError } from '../errors/to-app-error.js';

/**
 * Sends every error in the shape of its surface. A 500 is logged once, with its stack, and its response contains only
 * the request id.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly routes: RouteTable,
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
    private readonly reports: ErrorReports,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const error = this.orWrongRoute(toAppError(thrown), request);
    const requestId = findContext()?.requestId ?? '';

    if (response.writableEnded && cannotBeAnswered(thrown)) return;
    if (!error) {
      this.log.error({ err: thrown, requestId }, 'unexpected error');
      this.reports.report(thrown, { method: request.method, route: routeTemplateOf(request) });
    }
    this.count(thrown, error, request);
    if (response.headersSent) {
      response.destroy();
    } else {
      const shape = errorShapeOf(request.path);
      response.status(errorStatus(shape, error)).set(errorHeaders(error));
      response.json(errorBody(shape, error, requestId));
    }
  }

  private count(thrown: unknown, error: AppError | null, request: Request): void {
    this.metrics.errorResponses.inc({ surface: surfaceOf(request.path), code: error?.code ?? 'unexpected' });
    const databaseError = databaseErrorOf(thrown);
    if (!databaseError || !isUnmapped(databaseError)) return;
    const { code, constraint } = databaseError;
    this.log.error({ sqlstate: code, constraint, requestId: findContext()?.requestId }, 'unmapped database error');
    this.metrics.unmappedDatabaseErrors.inc();
  }

  /**
   * Nest responds to an unknown path and to an unknown method of a known path with 404. The filter names an unknown path, to
   * distinguish it from an unknown resource, and turns an unknown method into 405 with `Allow`.
   */
  private orWrongRoute(error: AppError | null, request: Request): AppError | null {
    if (error?.status !== 404 || request.route !== undefined) return error;
    const allowed = this.routes.methodsOf(request.path);
    if (allowed.length === 0) return new AppError(404, 'not_found', 'No operation has this path');
    if (allowed.includes(request.method)) return error;
    const Allow = allowed.join(', ');
    return new AppError(405, 'method_not_allowed', `Method not allowed; use ${Allow}`, { headers: { Allow } });
  }
}

/** The error came after the response: the deadline passed, or an earlier error was sent. */
function cannotBeAnswered(thrown: unknown): boolean {
  return toAppError(thrown) !== null || (thrown as { code?: unknown }).code === 'ERR_HTTP_HEADERS_SENT';
}
