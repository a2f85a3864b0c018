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

/** Lines are collected until there are this many bytes, or for this long: a write for each line costs more than the line. */
const BUFFER = { minLength: 8 * 1024, periodicFlush: 100 };

/**
 * JSON lines on stdout, readable lines on a terminal, both with secrets redacted. The last lines are written when the process
 * ends, unless it is killed.
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
