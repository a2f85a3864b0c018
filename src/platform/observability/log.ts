import { type DestinationStream, type Logger, pino } from 'pino';
import type { Env } from '../config/env.js';
import { findContext } from '../context/request-context.js';
import { loggedError } from './logged-error.js';
import { serviceVersion } from './version.js';

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
/** At a terminal there is one service. */
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
 * ends; if it is killed or aborts (out of memory, an error in native code), those of the last 100 ms may be lost.
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
