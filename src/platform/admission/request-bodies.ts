import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { Listeners } from '../discovery/listeners.js';
import { AppError, unavailable, unprocessable } from '../errors/app-error.js';
import { Metrics } from '../observability/metrics.js';
import { AsyncResource } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';
import { BearerGuard } from '../auth/bearer.guard.js';
import {
  type BodyParser,
  bodyParserOf,
  rawParser,
  rejectUnreadable,
  StatedSizes,
  WITH_BODY,
} from '../http/body-parsers.js';
import { RouteTable } from '../http/route-table.js';
import { addressKey } from '../context/client-address.js';
import { AddressQuota } from './connection-limits.js';

const RETRY_AFTER_MS = 1_000;
const KIB = 1024;
const MIB = 1024 * KIB;
/** A larger body is read only for a valid credential. */
const SMALL_BYTES = 4 * KIB;
/** The number of bytes by which gzip may lengthen a text that it cannot compress. */
const GZIP_EXTRA_BYTES = KIB;

/**
 * Reads request bodies up to the size that the caller may send. A body without a route is not read, public routes read only
 * small uncompressed bodies, and compressed, chunked or large bodies are read after the credential was verified.
 */
@Injectable()
export class RequestBodies {
  /** The bytes of bodies that are being received. */
  private readonly arriving: AddressQuota;

  constructor(
    private readonly routes: RouteTable,
    private readonly guard: BearerGuard,
    private readonly listeners: Listeners,
    env: Env,
    metrics: Metrics,
  ) {
    this.arriving = new AddressQuota({
      total: env.maxReceivingMib * MIB,
      perAddress: env.maxReceivingMibPerAddress * MIB,
    });
    const help = 'Bytes of bodies that are arriving';
    metrics.gauge({ name: 'http_body_bytes_receiving', help }, () => this.arriving.total);
  }

  /** Middleware; needs the request's context. */
  readonly read = (request: Request, response: Response, next: NextFunction): void => {
    const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
    const access = WITH_BODY.has(request.method) ? this.routes.accessOf(request.method, request.path) : null;
    // Without a route the router answers 404 or 405.
    if (access === null || (length === undefined && chunked === undefined)) {
      next();
      return;
    }
    const { isPublic } = access;
    const exchange = { request, response, isPublic, parser: bodyParserOf(request, isPublic) };
    const isLarge = isCompressed(request) || chunked !== undefined || Number(length) > SMALL_BYTES;
    if (isPublic) {
      if (access.sharedSecret !== null) this.guard.assertSharedSecret(request, access.sharedSecret);
      this.receive(exchange, next);
    } else if (isLarge || exchange.parser.isStated === true) {
      this.guard
        .authenticate(request, response)
        .then(() => this.withStatedSize(exchange))
        .then((stated) => {
          // The parser would treat the request of a disconnected client as one without a body.
          if (!request.destroyed) this.receive(stated, next);
        }, next);
    } else {
      this.receive(exchange, next);
    }
  };

  /** A body that exceeds the size that a record states ends there: the rest is not received. */
  private async withStatedSize(exchange: Exchange): Promise<Exchange> {
    const { request, parser } = exchange;
    const bytes = parser.isStated === true ? await this.listeners.one(StatedSizes).sizeOf(request.path) : null;
    return bytes === null ? exchange : { ...exchange, parser: rawParser(bytes), statedBytes: bytes };
  }

  private receive({ request, response, isPublic, parser, statedBytes }: Exchange, next: NextFunction): void {
    try {
      if (isPublic && isCompressed(request))
        throw new AppError(415, 'unsupported_media_type', 'The body must not be compressed');
      rejectUnreadable(request);
      const rejection = statedBytes === undefined ? tooLarge : () => largerThanStated(statedBytes);
      const mostBytes = parser.bytes + (isCompressed(request) ? GZIP_EXTRA_BYTES : 0);
      const declared = Number(request.headers['content-length'] ?? mostBytes);
      if (declared > mostBytes) throw rejection();
      // A compressed body may have any size up to the limit.
      const reserved = isCompressed(request) ? mostBytes : declared;
      const release = this.reserve(request, reserved);
      response.once('close', release);
      parse({ request, response, parser, mostBytes, rejection }, (error) => {
        release();
        next(error);
      });
    } catch (error) {
      next(error);
    }
  }

  /** A body counts with its declared size from its first byte on, because the rest may arrive at any time. */
  private reserve(request: Request, bytes: number): () => void {
    const release = this.arriving.reserve(addressKey(request.ip), bytes);
    if (release === 'total') throw unavailable('The service is busy', RETRY_AFTER_MS);
    if (release === 'address') {
      throw new AppError(429, 'rate_limited', 'Too many large requests at the same time; wait before the next one', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    }
    return release;
  }
}

interface Exchange {
  request: Request;
  response: Response;
  isPublic: boolean;
  parser: BodyParser;
  /** The size that a record states; the parser reads no more. */
  statedBytes?: number;
}

interface Reading {
  request: Request;
  response: Response;
  parser: BodyParser;
  mostBytes: number;
  rejection: () => AppError;
}

/** The parser would reject a body that is too large only after it has arrived completely; this rejects it at once. */
function parse({ request, response, parser, mostBytes, rejection }: Reading, next: (error?: unknown) => void): void {
  let isDone = false;
  // `AsyncResource.bind` would cost ten times as much.
  const caller = new AsyncResource('body');
  const settle = (error?: unknown): void => {
    if (isDone) return;
    isDone = true;
    caller.runInAsyncScope(next, undefined, error);
  };
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > mostBytes) settle(rejection());
  });
  if (request.headers.expect !== undefined) {
    response.shouldKeepAlive = request.headers.connection?.toLowerCase() !== 'close';
    response.writeContinue();
  }
  void parser.parse(request, response, settle);
}

function isCompressed(request: Request): boolean {
  return (request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

function tooLarge(): AppError {
  return new AppError(413, 'payload_too_large', 'The body is too large');
}

function largerThanStated(sizeBytes: number): AppError {
  const details = { field: 'body', sizeBytes };
  return unprocessable('file_size_mismatch', 'The file is larger than its stated size', details);
}
