import { AppError } from '../../../platform/errors/app-error.js';

type Code = 'invalid_request' | 'unauthorized_client' | 'unsupported_grant_type' | 'invalid_scope';

/** Creates a 400 with an error code of RFC 6749, section 5.2. */
export function rejectedRequest(code: Code, description: string): AppError {
  return new AppError(400, code, description);
}

/** Creates the same 401 for an unknown, revoked or expired client and for a wrong secret. */
export function invalidClient(): AppError {
  return new AppError(401, 'invalid_client', 'The client could not be authenticated', {
    headers: { 'WWW-Authenticate': 'Basic realm="connect"' },
  });
}
