import { isUtf8 } from 'node:buffer';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError, invalidRequest } from '../errors/app-error.js';
import { scanJson } from './json-scan.js';

const KIB = 1024;
const LIMITS: readonly (readonly [prefix: string, bytes: number])[] = [
  ['/v1/public/catalog/search', 64 * KIB],
  ['/vault/', 512 * KIB],
];
const DEFAULT_LIMIT = 1024 * KIB;
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Sizes count after inflating. What cannot be read at all is 400, 413 or 415, before anybody asks for a credential. */
export function bodyParsers(): RequestHandler[] {
  const parsers = new Map(
    [...LIMITS.map(([, bytes]) => bytes), DEFAULT_LIMIT].map((limit) => [limit, jsonParser(limit)]),
  );
  const form = express.text({ type: 'application/x-www-form-urlencoded', limit: 64 * KIB, verify: requireUtf8 });

  return [
    refuseUnreadable,
    (request, response, next) => {
      const path = request.path.toLowerCase();
      const limit = LIMITS.find(([prefix]) => path.startsWith(prefix))?.[1] ?? DEFAULT_LIMIT;
      if (!WITH_BODY.has(request.method)) next();
      else if (isForm(request)) form(request, response, next);
      else parsers.get(limit)?.(request, response, next);
    },
  ];
}

function jsonParser(limit: number): RequestHandler {
  return express.json({
    limit,
    verify: (request, response, bytes) => {
      requireUtf8(request, response, bytes);
      const fault = scanJson(bytes);
      if (fault) throw invalidRequest([{ path: '', message: fault.message, code: fault.code }]);
    },
  });
}

function requireUtf8(_request: unknown, _response: unknown, bytes: Buffer): void {
  if (!isUtf8(bytes)) throw invalidRequest([{ path: '', message: 'The body is not valid UTF-8', code: 'encoding' }]);
}

function refuseUnreadable(request: Request, _response: Response, next: NextFunction): void {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-encoding': encoding } = request.headers;
  const hasBody = WITH_BODY.has(request.method) && (chunked !== undefined || (length !== undefined && length !== '0'));
  const fault = hasBody ? unreadable(request.headers['content-type'], encoding, isForm(request)) : null;
  next(fault === null ? undefined : new AppError(415, 'unsupported_media_type', fault));
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
  const isOAuth = request.path.toLowerCase().startsWith('/connect/v1/oauth/');
  return isOAuth && /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}
