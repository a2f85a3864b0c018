import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Env } from '../config/env.js';
import { findContext } from '../context/request-context.js';

let known: string | null = null;

/** The version of the package that contains this file. */
export function serviceVersion(): string {
  return (known ??= versionAbove(import.meta.dirname));
}

function versionAbove(folder: string): string {
  const file = join(folder, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version ?? 'unknown';
  const parent = dirname(folder);
  return parent === folder ? 'unknown' : versionAbove(parent);
}

const MOST_CAUSES = 3;
const DATA_EXCEPTION = /^22[0-9A-Z]{3}$/;

/** The members of an error that are logged. They are listed, so that new members of a library are not disclosed. */
interface LoggedError {
  type: unknown;
  message: unknown;
  stack: unknown;
  code?: unknown;
  constraint?: unknown;
  cause?: LoggedError;
}

/**
 * An error as it is logged, without the additions of the database and TypeORM: the parameters of the statement and the
 * rejected row (`detail`) contain hashes of secrets and personal data.
 */
export function loggedError(error: unknown, causes = MOST_CAUSES): LoggedError {
  if (typeof error !== 'object' || error === null) return { type: typeof error, message: String(error), stack: null };
  const { type, name, message, stack, code, constraint, cause, driverError } = error as Record<string, unknown>;
  const deeper = driverError ?? cause;
  // PostgreSQL quotes the value in errors of this class: invalid input syntax for type date: "31 February".
  const quotesValue = typeof code === 'string' && DATA_EXCEPTION.test(code);
  return {
    type: type ?? name,
    message: quotesValue ? 'The database rejected a value' : message,
    stack: quotesValue ? framesOf(stack) : stack,
    ...(code === undefined ? {} : { code }),
    ...(constraint === undefined ? {} : { constraint }),
    ...(deeper && causes > 0 ? { cause: loggedError(deeper, causes - 1) } : {}),
  };
}

/** A stack without the message. */
function framesOf(stack: unknown): string {
  return String(stack)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}

/** Token of the process's log. */
export const LOG = Symbol('log');

interface LogOptions {
  /** The name of the service in each line. */
  service?: string;
  /** Adds `trace_id` and `span_id` to lines of requests and jobs. */
  traced?: boolean;
}

/** Members that are never logged, at any depth. */
const SECRETS = [
  'authorization',
  'cookie',
  'password',
  'token',
  'secret',
  'clientSecret',
  'client_secret',
  'plaintext',
  'ciphertext',
  'body',
];

/**
 * Lines are buffered up to this size or time: one write per line would cost more than formatting it. All processes of the
 * service write to one pipe, which keeps only writes of up to 4,096 bytes (PIPE_BUF) together.
 */
const BUFFER = { minLength: 3 * 1024, maxWrite: 4 * 1024, periodicFlush: 100 };
/** A terminal shows a single service. */
const PRETTY = { translateTime: 'HH:MM:ss', colorize: true, ignore: 'service,version' };

/** The log of a process that serves. */
export function createServiceLog(env: Pick<Env, 'logLevel' | 'serviceName' | 'otlpEndpoint'>): Logger {
  return createLog(env.logLevel, undefined, { service: env.serviceName, traced: env.otlpEndpoint !== null });
}

/** Logs an error that ends the process. Node prints it on standard error as well. */
export function logCrashes(log: Logger): void {
  process.on('uncaughtExceptionMonitor', (error, origin) => {
    log.fatal({ err: error, origin }, 'an unexpected error ends the process');
  });
}

/**
 * JSON lines on stdout, readable lines on a terminal, both with secrets redacted. The last lines are written when the process
 * ends; if it is killed or aborts (out of memory, an error in native code), the lines of the last 100 ms may be lost.
 */
export function createLog(
  level: string,
  destination?: DestinationStream,
  { service = 'travel-operations-platform', traced = false }: LogOptions = {},
): Logger {
  const options = {
    level,
    base: { service, version: serviceVersion() },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (error: unknown) => loggedError(error) },
    redact: {
      paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]).concat('req.headers["x-api-key"]'),
      censor: '[redacted]',
    },
    ...(traced ? { mixin: currentTrace } : {}),
  };
  if (destination) return pino(options, destination);
  return process.stdout.isTTY
    ? pino({ ...options, transport: { target: 'pino-pretty', options: PRETTY } })
    : pino(options, pino.destination({ dest: 1, ...BUFFER }));
}

function currentTrace(): object {
  const span = findContext()?.span;
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/** Writes Nest's own messages to the log: its start messages as debug, its warnings and errors unchanged. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Logger) {}

  log(message: unknown, context?: string): void {
    this.target.debug({ nest: context }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.target.error({ nest: rest }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.target.warn({ nest: context }, String(message));
  }
}
