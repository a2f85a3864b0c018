import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { currentContext } from '../context/request-context.js';
import { Metrics } from '../observability/metrics.js';
import { routeTemplateOf } from './route-table.js';

/** The deprecation of an operation. Days are in UTC, `YYYY-MM-DD`. */
export interface Deprecation {
  /** From this day on the operation should not be used in new code. It may be in the future. */
  readonly since: string;
  /** From this day on the operation may be removed. */
  readonly sunset?: string;
  /** The path of the route to use instead, as its controller declares it; its parameters are some of this route's. */
  readonly successor?: string;
  /** The `https:` address of a page that describes the change. */
  readonly documentation?: string;
}

/** Promised in docs/versioning.md. */
const MONTHS_UNTIL_SUNSET = 12;

const DEPRECATION = 'deprecation';
const PARAMETER = /:(\w+)/g;

/**
 * Deprecates the operation: its responses have `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, the API document marks
 * it, and `deprecated_requests_total` counts its requests. Responses of guards (401, 403, 429) do not have the headers.
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  const announced: Announced = { deprecation, headers: headersOf(deprecation) };
  return applyDecorators(SetMetadata(DEPRECATION, announced), UseInterceptors(DeprecationInterceptor));
}

export function deprecationOf(handler: object): Deprecation | null {
  return announcedOf(handler)?.deprecation ?? null;
}

/** The parameters in a path of the router's notation. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
}

interface Announced {
  readonly deprecation: Deprecation;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

function announcedOf(handler: object): Announced | undefined {
  return Reflect.getMetadata(DEPRECATION, handler) as Announced | undefined;
}

@Injectable()
class DeprecationInterceptor implements NestInterceptor {
  constructor(private readonly metrics: Metrics) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const announced = announcedOf(context.getHandler());
    if (!announced) return next.handle();
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    this.metrics.deprecatedRequests.inc({ method: request.method, route: routeTemplateOf(request) ?? 'none' });
    // Runs before the handler, so that its errors have the headers as well.
    for (const [name, value] of announced.headers) response.setHeader(name, value);
    const links = linksOf(announced.deprecation, request);
    if (links === '') return next.handle();
    response.setHeader('Link', links);
    return next.handle().pipe(
      tap(() => {
        // The handler's own links, such as the one to the next page, would replace these.
        const { headers } = currentContext();
        const own = headers.get('Link');
        if (own !== undefined) headers.set('Link', `${own}, ${links}`);
      }),
    );
  }
}

function headersOf({ since, sunset, documentation }: Deprecation): Announced['headers'] {
  const sinceAt = dayOf(since, 'since');
  if (documentation !== undefined && !/^https:\/\/[^\s<>"]+$/.test(documentation)) {
    throw new Error(`@Deprecated: documentation must be an address with https:, not ${documentation}`);
  }
  const deprecation = ['Deprecation', `@${sinceAt.getTime() / 1000}`] as const;
  if (sunset === undefined) return [deprecation];
  const sunsetAt = dayOf(sunset, 'sunset');
  const earliest = new Date(sinceAt);
  earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS_UNTIL_SUNSET);
  if (sunsetAt < earliest) {
    throw new Error(
      `@Deprecated: sunset ${sunset} must be at least ${MONTHS_UNTIL_SUNSET} months after since ${since}`,
    );
  }
  return [deprecation, ['Sunset', sunsetAt.toUTCString()]];
}

function dayOf(text: string, member: string): Date {
  const day = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : NaN);
  // `2027-02-30` would be read as the second of March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text)) {
    throw new Error(`@Deprecated: ${member} must be a day (YYYY-MM-DD), not ${text}`);
  }
  return day;
}

function linksOf({ sunset, successor, documentation }: Deprecation, { params }: Request): string {
  const links: string[] = [];
  if (documentation !== undefined) {
    links.push(`<${documentation}>; rel="deprecation"; type="text/html"`);
    if (sunset !== undefined) links.push(`<${documentation}>; rel="sunset"; type="text/html"`);
  }
  if (successor !== undefined) {
    const path = successor.replace(PARAMETER, (_, name: string) => encodeURIComponent(String(params[name])));
    links.push(`<${path}>; rel="successor-version"`);
  }
  return links.join(', ');
}
