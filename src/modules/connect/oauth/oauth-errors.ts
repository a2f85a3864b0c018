import { AppError } from '../../../platform/errors/app-error.js';

type Code = 'invalid_request' | 'unauthorized_client' | 'unsupported_grant_type' | 'invalid_scope';

/** 400 in the words of RFC 6749, section 5.2. */
export function refusedRequest(code: Code, description: string): AppError {
  return new AppError(400, code, description);
}

/** One and the same 401 for a client that is unknown, revoked or expired, and for a wrong secret. */
export function invalidClient(): AppError {
  return new AppError(401, 'invalid_client', 'The client could not be authenticated', {
    headers: { 'WWW-Authenticate': 'Basic realm="connect"' },
  });
}
