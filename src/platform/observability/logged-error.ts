const MOST_CAUSES = 3;

/** What is known of an error. Members are listed: a new one of some library must not leak. */
interface LoggedError {
  type: unknown;
  message: unknown;
  stack: unknown;
  code?: unknown;
  constraint?: unknown;
  cause?: LoggedError;
}

/**
 * An error as the log has it. What the database and TypeORM add to theirs is left out: the statement's parameters and the
 * row that was refused (`detail`) hold hashes of secrets and personal data.
 */
export function loggedError(error: unknown, causes = MOST_CAUSES): LoggedError {
  if (typeof error !== 'object' || error === null) return { type: typeof error, message: String(error), stack: null };
  const { type, name, message, stack, code, constraint, cause, driverError } = error as Record<string, unknown>;
  const deeper = driverError ?? cause;
  return {
    type: type ?? name,
    message,
    stack,
    ...(code === undefined ? {} : { code }),
    ...(constraint === undefined ? {} : { constraint }),
    ...(deeper && causes > 0 ? { cause: loggedError(deeper, causes - 1) } : {}),
  };
}
