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
