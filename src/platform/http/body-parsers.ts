import { isUtf8 } from 'node:buffer';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError, invalidField, invalidRequest } from '../errors/app-error.js';
import { scanJson } from './json-scan.js';
import { errorShapeOf } from './surface.js';

const KIB = 1024;

interface Bounds {
  bytes: number;
  /** Levels of nesting. */
  depth: number;
}

const DEFAULT: Bounds = { bytes: 1024 * KIB, depth: 32 };
const BOUNDS: readonly (readonly [prefix: string, bounds: Bounds])[] = [
  ['/v1/public/catalog/search', { ...DEFAULT, bytes: 64 * KIB }],
  ['/vault/', { ...DEFAULT, bytes: 512 * KIB }],
  // A form's schema may have 32 levels of its own, inside the one of the body.
  ['/connect/v1/connector-providers/', { ...DEFAULT, depth: 33 }],
];
const WHITE_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const STRUCTURES = new Set([0x5b, 0x7b]);
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Sizes count after inflating. What cannot be read at all is 400, 413 or 415, before anybody asks for a credential. */
export function bodyParsers(): RequestHandler[] {
  const json = jsonParser(DEFAULT);
  const parsers = BOUNDS.map(([prefix, bounds]) => ({ prefix, parse: jsonParser(bounds) }));
  const form = express.text({ type: 'application/x-www-form-urlencoded', limit: 64 * KIB, verify: requireUtf8 });

  return [
    refuseUnreadable,
    (request, response, next) => {
      const path = request.path.toLowerCase();
      const parse = parsers.find(({ prefix }) => path.startsWith(prefix))?.parse ?? json;
      if (!WITH_BODY.has(request.method)) next();
      else if (isForm(request)) form(request, response, next);
      else parse(request, response, next);
    },
  ];
}

function jsonParser({ bytes: limit, depth }: Bounds): RequestHandler {
  return express.json({
    limit,
    verify: (request, response, bytes) => {
      requireUtf8(request, response, bytes);
      const fault = scanJson(bytes, depth);
      if (fault) throw invalidRequest([fault]);
      // It is JSON, but the parser would say that it is not.
      if (isScalar(bytes)) throw invalidField('', 'The body must be a JSON object', 'isObject');
    },
  });
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

function refuseUnreadable(request: Request, _response: Response, next: NextFunction): void {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-encoding': encoding } = request.headers;
  const hasBody = WITH_BODY.has(request.method) && (chunked !== undefined || (length !== undefined && length !== '0'));
  const fault = hasBody ? unreadable(request.headers['content-type'], encoding, isForm(request)) : null;
  if (fault === null) next();
  else if (isOAuth(request)) next(new AppError(400, 'invalid_request', 'The body must be a form or JSON, in UTF-8'));
  else next(new AppError(415, 'unsupported_media_type', fault));
}

function unreadable(type: string | undefined, encoding: string | undefined, form: boolean): string | null {
  const [media = '', ...parameters] = (type ?? '').toLowerCase().split(';');
  const charset = /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/;
  const other = parameters.find((parameter) => !['utf-8', 'utf8', undefined].includes(charset.exec(parameter)?.[1]));
  if (!form && media.trim() !== 'application/json') return 'The body must be application/json';
  if (other !== undefined) return 'The body must be in UTF-8';
  return ['gzip', 'identity', undefined].includes(encoding?.toLowerCase())
    ? null
    : 'The body may be encoded by gzip only';
}

/** Forms are read by the OAuth endpoints alone (RFC 6749). */
function isForm(request: Request): boolean {
  return isOAuth(request) && /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

/** There, whatever is wrong with a request has the code of RFC 6749, which knows no media types. */
function isOAuth(request: Request): boolean {
  return errorShapeOf(request.path) === 'oauth';
}
