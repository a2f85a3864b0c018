import { currentContext } from '../context/request-context.js';
import { AppError } from '../errors/app-error.js';

/** One and the same 401 for missing, unknown, expired, revoked and wrong kind (RFC 6750, 3). */
export function unauthorized(surface: string, wasPresented: boolean): AppError {
  const challenge = `Bearer realm="${surface}"${wasPresented ? ', error="invalid_token"' : ''}`;
  return new AppError(401, 'unauthorized', 'A valid credential is required', {
    headers: { 'WWW-Authenticate': challenge },
  });
}

/** For a caller whose credential has ended since it was verified. */
export function callerEnded(): AppError {
  return unauthorized(currentContext().surface ?? 'staff', true);
}
