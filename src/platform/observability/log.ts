import { type DestinationStream, type Logger, pino } from 'pino';
import { loggedError } from './logged-error.js';

/** Token of the process's log. */
export const LOG = Symbol('log');

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

/**
 * JSON lines on stdout, readable lines on a terminal, both with secrets redacted. The last lines are written when the process
 * ends; if it is killed or aborts (out of memory, an error in native code), those of the last 100 ms may be lost.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => loggedError(error) },
    redact: {
      paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]).concat('req.headers["x-api-key"]'),
      censor: '[redacted]',
    },
  };
  if (destination) return pino(options, destination);
  return process.stdout.isTTY
    ? pino({ ...options, transport: { target: 'pino-pretty', options: { translateTime: 'HH:MM:ss', colorize: true } } })
    : pino(options, pino.destination({ dest: 1, ...BUFFER }));
}
