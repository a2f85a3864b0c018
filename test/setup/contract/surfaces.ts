import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import type { Exchange } from './document.js';

const text = { type: 'string', minLength: 1 };
/** An id as the caller sent it. */
const echo = { type: 'string', maxLength: 128 };
const retryAfterMs = { type: 'integer', minimum: 1 };
const ajv = new Ajv();

/** An unexpected failure has no code, so its schemas have none. */
const unmapped = { error: text, requestId: text, details: { type: 'object' } };
/** RFC 6749 adds a member, and clients of that endpoint expect the delay at the top level. */
const unmappedToken = { ...unmapped, error_description: text, retryAfterMs };
const shapes = {
  trade: shape({ ...unmapped, code: text }, ['error', 'code', 'requestId']),
  unmapped: shape(unmapped, ['error', 'requestId']),
  token: shape({ ...unmappedToken, code: text }, ['error', 'code', 'requestId']),
  unmappedToken: shape(unmappedToken, ['error', 'requestId']),
  plain: shape({ error: text, retryAfterMs }, ['error']),
  data: shape({ code: text, message: text, retryAfterMs }, ['code', 'message']),
  octo: shape(
    {
      ...{ error: text, errorMessage: text, requestId: text, retryAfterMs, productId: echo, optionId: echo },
      ...{ unitId: echo, availabilityId: echo, uuid: echo },
    },
    ['error', 'errorMessage', 'requestId'],
  ),
};

/** The faults of an error body by the rules of its surface, which the path determines; empty if there are none. */
export function surfaceFaults(exchange: Exchange): string[] {
  const path = exchange.path.toLowerCase().replace(/\/{2,}/g, '/');
  if (isPage(path, exchange)) return [];
  const body = parsed(exchange.text);
  if (body === undefined) return [`the error body is not JSON: ${exchange.text.slice(0, 200)}`];
  const validate = shapeOf(path, exchange.status);
  if (!validate(body)) {
    return (validate.errors ?? []).map(
      (e) => `the error body ${e.instancePath} ${e.message ?? ''} ${JSON.stringify(e.params)}`,
    );
  }
  if (requestIdOf(body) === exchange.headers['x-request-id'] || isBelow(path, ['/vault', '/realtime', '/data']))
    return [];
  return [`requestId is ${requestIdOf(body)}, the header says ${exchange.headers['x-request-id']}`];
}

const PAGES = [
  '/v1/public/legal/contract-pages',
  '/v1/public/notifications/unsubscriptions',
  '/v1/public/operations/waiting-offers',
];

/** Errors behind a link that people follow are pages; the document lists their type. */
function isPage(path: string, { headers, status }: Exchange): boolean {
  const isHtml = headers['content-type']?.startsWith('text/html') === true;
  return isHtml && isBelow(path, PAGES) && [404, 409, 410].includes(status);
}

function shapeOf(path: string, status: number): ValidateFunction {
  if (isBelow(path, ['/vault', '/realtime'])) return shapes.plain;
  if (isBelow(path, ['/data'])) return shapes.data;
  if (isBelow(path, ['/octo'])) return shapes.octo;
  const isToken = isBelow(path, ['/connect/v1/oauth']);
  if (status === 500) return isToken ? shapes.unmappedToken : shapes.unmapped;
  return isToken ? shapes.token : shapes.trade;
}

function isBelow(path: string, prefixes: string[]): boolean {
  return prefixes.some((prefix) => `${path}/`.startsWith(`${prefix}/`));
}

function shape(properties: Record<string, object>, required: string[]): ValidateFunction {
  return ajv.compile({ type: 'object', required, properties, additionalProperties: false });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function requestIdOf(body: unknown): string {
  return typeof body === 'object' && body !== null && 'requestId' in body ? String(body.requestId) : 'absent';
}
