import { currentContext } from './request-context.js';
import type { Surface } from './surface.js';
import { AppError } from '../errors/app-error.js';

/** The credential that each surface takes. All routes of the storefront are public. */
const REQUIRED: Record<Surface, string> = {
  storefront: 'A valid credential is required',
  staff: 'A staff session token or staff API token is required, sent as Authorization: Bearer',
  connect: 'A platform API key or OAuth access token is required, sent as Authorization: Bearer',
  vault: 'A platform API key is required, sent as Authorization: Bearer',
  realtime: 'A platform API key is required, sent as Authorization: Bearer',
  data: 'A platform API key is required, sent as Authorization: Bearer',
  octo: 'A platform API key or OAuth access token is required, sent as Authorization: Bearer',
};

/**
 * Creates the same 401 of a surface for credentials that are missing, unknown, expired, revoked or of the wrong kind (RFC 6750,
 * 3).
 */
export function unauthorized(surface: Surface, wasPresented: boolean): AppError {
  const challenge = `Bearer realm="${surface}"${wasPresented ? ', error="invalid_token"' : ''}`;
  return new AppError(401, 'unauthorized', REQUIRED[surface], { headers: { 'WWW-Authenticate': challenge } });
}

/** The error for a caller whose credential has ended since its verification. */
export function callerEnded(): AppError {
  return unauthorized(currentContext().surface ?? 'staff', true);
}
