import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler } from 'express';
import { AppError, invalidField, invalidRequest } from '../errors/app-error.js';
import { FREE_FORM_LIMITS, JSON_LIMITS, type JsonLimits, scanJson } from '../validation/json-scan.js';
import { errorShapeOf } from '../context/surface.js';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';

const KIB = 1024;

interface Bounds {
  bytes: number;
  json: JsonLimits;
}

const DEFAULT: Bounds = { bytes: 1024 * KIB, json: JSON_LIMITS };
/** The limit of routes without a credential that are not in the table. */
const PUBLIC: Bounds = { ...DEFAULT, bytes: 16 * KIB };
const BOUNDS: readonly (readonly [prefix: string, bounds: Bounds])[] = [
  ['/v1/public/catalog/search', { ...DEFAULT, bytes: 64 * KIB }],
  ['/vault/', { ...DEFAULT, bytes: 512 * KIB }],
  // A form's schema may have 32 levels of its own, inside the one of the body.
  ['/connect/v1/connector-providers/', { ...DEFAULT, json: { ...FREE_FORM_LIMITS, depth: 33 } }],
  ['/realtime/', { ...DEFAULT, json: FREE_FORM_LIMITS }],
];
const WHITE_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const STRUCTURES = new Set([0x5b, 0x7b]);
export const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Reads and parses a body of at most N bytes, counted after decompression. */
export interface BodyParser {
  readonly bytes: number;
  readonly parse: RequestHandler;
  /** A record states the size of the body (`StatedSizes`), which is known before the body is read. */
  readonly isStated?: boolean;
}

const PARSERS = BOUNDS.map(([prefix, bounds]) => ({ prefix, parser: jsonParser(bounds) }));
const [DEFAULT_PARSER, PUBLIC_PARSER] = [jsonParser(DEFAULT), jsonParser(PUBLIC)];
/** Only the OAuth endpoints accept forms; they are public. */
const FORM_PARSER: BodyParser = {
  bytes: PUBLIC.bytes,
  parse: express.text({ type: 'application/x-www-form-urlencoded', limit: PUBLIC.bytes, verify: requireUtf8 }),
};

interface RawRoute {
  method: string;
  /** If it ends in a slash, one more segment follows. */
  path: string;
  types: readonly string[];
  parser: BodyParser;
}

/** Routes that take bytes (`@RawBody`). */
const RAW: readonly RawRoute[] = [
  {
    method: 'PUT',
    path: '/v1/admin/organization/logo',
    types: ['image/png', 'image/jpeg', 'application/octet-stream'],
    parser: rawParser(512 * KIB),
  },
  {
    method: 'POST',
    path: '/v1/public/notifications/bounce-mails',
    types: ['message/rfc822', 'application/octet-stream'],
    parser: rawParser(256 * KIB),
  },
  {
    method: 'POST',
    path: '/v1/public/legal/contract-pages/',
    types: ['application/x-www-form-urlencoded', 'application/json'],
    parser: rawParser(4 * KIB),
  },
  {
    method: 'POST',
    path: '/v1/public/operations/waiting-offers/',
    types: ['application/x-www-form-urlencoded', 'application/json'],
    parser: rawParser(4 * KIB),
  },
  {
    method: 'POST',
    path: '/v1/public/notifications/unsubscriptions/',
    types: ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'],
    parser: rawParser(4 * KIB),
  },
  {
    method: 'PUT',
    path: '/v1/admin/attachments/',
    types: ['application/octet-stream'],
    parser: { ...rawParser(10 * 1024 * KIB), isStated: true },
  },
];

/** Returns the sizes of bodies that records state. The module of the route implements it with `@Listens(StatedSizes, ...)`. */
export abstract class StatedSizes {
  /** The most bytes that the body of a PUT to this path may have; null: the limit of the route. */
  abstract sizeOf(path: string): Promise<number | null>;
}

export function rawParser(bytes: number): BodyParser {
  return { bytes, parse: express.raw({ type: () => true, limit: bytes }) };
}

export function bodyParserOf(request: Request, isPublic: boolean): BodyParser {
  if (isForm(request)) return FORM_PARSER;
  const raw = rawRouteOf(request);
  if (raw) return raw.parser;
  const path = request.path.toLowerCase();
  const own = PARSERS.find(({ prefix }) => path.startsWith(prefix))?.parser;
  return own ?? (isPublic ? PUBLIC_PARSER : DEFAULT_PARSER);
}

function jsonParser({ bytes, json }: Bounds): BodyParser {
  const parse = express.json({
    limit: bytes,
    verify: (request, response, body) => {
      requireUtf8(request, response, body);
      scanJson(body, json);
      // It is JSON, but the parser would report it as malformed.
      if (isScalar(body)) throw invalidField('', 'The body must be a JSON object', 'wrong_type');
    },
  });
  return { bytes, parse };
}

function isScalar(bytes: Buffer): boolean {
  const first = bytes.find((byte) => !WHITE_SPACE.has(byte));
  if (first === undefined || STRUCTURES.has(first)) return false;
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

function requireUtf8(_request: unknown, _response: unknown, bytes: Buffer): void {
  if (!isUtf8(bytes)) throw invalidRequest([{ path: '', message: 'The body is not valid UTF-8', code: 'encoding' }]);
}

/**
 * Throws 415 for a body that cannot be read, judged by its headers; the OAuth endpoints respond with 400 only (RFC
 * 6749).
 */
export function rejectUnreadable(request: Request): void {
  const { 'content-length': length, 'content-type': type, 'content-encoding': encoding } = request.headers;
  const transfer = request.headers['transfer-encoding']?.toLowerCase() ?? 'chunked';
  // Node does not decode any other coding (RFC 9112, 6.1).
  const unknownCoding = transfer === 'chunked' ? null : 'The only transfer coding supported is chunked';
  const fault = length === '0' ? null : (unknownCoding ?? unreadable(type, encoding, request));
  if (fault === null) return;
  if (isOAuth(request)) throw new AppError(400, 'invalid_request', 'The body must be a form or JSON, in UTF-8');
  throw new AppError(415, 'unsupported_media_type', fault);
}

function unreadable(type: string | undefined, encoding: string | undefined, request: Request): string | null {
  const [media = '', ...parameters] = (type ?? '').toLowerCase().split(';');
  const raw = rawRouteOf(request);
  if (raw) {
    if (!raw.types.includes(media.trim())) return `The body must be one of ${raw.types.join(', ')}`;
    return [undefined, 'identity'].includes(encoding?.toLowerCase()) ? null : 'A file must not be compressed';
  }
  const charset = /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/;
  const other = parameters.find((parameter) => !['utf-8', 'utf8', undefined].includes(charset.exec(parameter)?.[1]));
  if (!isForm(request) && media.trim() !== 'application/json') return 'The body must be application/json';
  if (other !== undefined) return 'The body must be in UTF-8';
  return ['gzip', 'identity', undefined].includes(encoding?.toLowerCase())
    ? null
    : 'The body may be encoded by gzip only';
}

function rawRouteOf(request: Request): RawRoute | undefined {
  const path = request.path.toLowerCase().replace(/\/$/, '');
  const isAt = (known: string) => (known.endsWith('/') ? path.startsWith(known) : path === known);
  return RAW.find((route) => route.method === request.method && isAt(route.path));
}

/** Only the OAuth endpoints accept forms (RFC 6749). */
function isForm(request: Request): boolean {
  return isOAuth(request) && /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

/** On the OAuth endpoints every error has a code of RFC 6749, which has none for media types. */
function isOAuth(request: Request): boolean {
  return errorShapeOf(request.path) === 'oauth';
}

const bytesOf = createParamDecorator((_: unknown, context: ExecutionContext): Buffer => {
  const { body } = context.switchToHttp().getRequest<Request>() as { body: unknown };
  if (Buffer.isBuffer(body) && body.length > 0) return body;
  throw invalidField('', 'The body must be the bytes of a file', 'not_a_file');
});

interface RawBodyOptions {
  types: readonly string[];
  maxBytes: number;
  /** For the API document, if the file is a text. */
  example?: string;
}

/** The body of a route that takes a file itself, not JSON. The path and its limit are also in `body-parsers.ts`. */
export function RawBody({ types, maxBytes, example }: RawBodyOptions): ParameterDecorator {
  return (target, key, index) => {
    bytesOf()(target, key, index);
    const descriptor = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
    if (key === undefined || !descriptor) return;
    ApiConsumes(...types)(target, key, descriptor);
    const description = `The bytes of the file, at most ${maxBytes}.`;
    const schema = { type: 'string', format: 'binary', description, ...(example !== undefined && { example }) };
    ApiBody({ required: true, schema })(target, key, descriptor);
  };
}
