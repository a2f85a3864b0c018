import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import type { Exchange } from './document.js';

const text = { type: 'string', minLength: 1 };
const retryAfterMs = { type: 'integer', minimum: 1 };
const ajv = new Ajv();

const general = { error: text, code: text, requestId: text, details: { type: 'object' } };
const shapes = {
  general: shape(['error', 'code', 'requestId'], general),
  /** An unexpected failure has no code. */
  unmapped: shape(['error', 'requestId'], { error: text, requestId: text }),
  /** RFC 6749 adds its own member, and clients of that endpoint look for the delay at the top. */
  token: shape(['error', 'code', 'requestId'], { ...general, error_description: text, retryAfterMs }),
  platform: shape(['error'], { error: text, retryAfterMs }),
  data: shape(['code', 'message'], { code: text, message: text, retryAfterMs }),
};

/** What is wrong with an error body by the rules of its surface, which the path decides; empty when nothing is. */
export function surfaceFaults(exchange: Exchange): string[] {
  const path = exchange.path.toLowerCase();
  const body = parsed(exchange.text);
  if (body === undefined) return [`the error body is not JSON: ${exchange.text.slice(0, 200)}`];
  const validate = shapeOf(path, exchange.status);
  if (!validate(body)) {
    return (validate.errors ?? []).map(
      (e) => `the error body ${e.instancePath} ${e.message ?? ''} ${JSON.stringify(e.params)}`,
    );
  }
  if (requestIdOf(body) === exchange.headers['x-request-id'] || isPlatform(path)) return [];
  return [`requestId is ${requestIdOf(body)}, the header says ${exchange.headers['x-request-id']}`];
}

function shapeOf(path: string, status: number): ValidateFunction {
  if (path.startsWith('/vault/v1/') || path.startsWith('/realtime/v1/')) return shapes.platform;
  if (path.startsWith('/data/')) return shapes.data;
  if (status === 500) return shapes.unmapped;
  return path.startsWith('/connect/v1/oauth/token') ? shapes.token : shapes.general;
}

function isPlatform(path: string): boolean {
  return ['/vault/v1/', '/realtime/v1/', '/data/'].some((prefix) => path.startsWith(prefix));
}

function shape(required: string[], properties: Record<string, object>): ValidateFunction {
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
