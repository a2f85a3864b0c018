import type { Request } from 'express';
import type { ClientCredentials } from '../oauth-clients/client-credentials.js';
import { rejectedRequest } from './oauth-errors.js';

/** A request to one of the OAuth endpoints: its credentials and parameters. */
export interface ClientRequest {
  credentials: ClientCredentials;
  parameters: ReadonlyMap<string, string>;
}

export interface TokenRequest {
  credentials: ClientCredentials;
  /** Null requests all scopes of the client. */
  scopes: string[] | null;
}

type Parameters = ReadonlyMap<string, string>;

/** The rate limiters keep IDs in memory, so their length is bounded. */
const MAX_ID_LENGTH = 128;

/** Matches no client, so missing credentials are rejected like wrong ones, after the same work. */
const NO_CREDENTIALS: ClientCredentials = { clientId: '', clientSecret: '' };

/**
 * Reads a request with a form or a JSON body. Unknown parameters and parameters without a value are ignored (RFC 6749, 3.1,
 * 3.2).
 */
export function readClientRequest(request: Pick<Request, 'headers' | 'query' | 'body'>): ClientRequest {
  if (Object.keys(request.query).length > 0)
    throw rejectedRequest('invalid_request', 'Parameters must be sent in the body');
  const parameters = readParameters(request.body);
  const presented = readCredentials(request.headers.authorization, parameters);
  return { credentials: presented.clientId.length <= MAX_ID_LENGTH ? presented : NO_CREDENTIALS, parameters };
}

/** Reads a request for a token (RFC 6749, 4.4). */
export function readTokenRequest(request: Pick<Request, 'headers' | 'query' | 'body'>): TokenRequest {
  const { credentials, parameters } = readClientRequest(request);
  const grantType = parameters.get('grant_type');
  if (grantType === undefined) throw rejectedRequest('invalid_request', 'grant_type is missing');
  if (grantType !== 'client_credentials') {
    throw rejectedRequest('unsupported_grant_type', 'The only grant type is client_credentials');
  }
  const scope = parameters.get('scope');
  const scopes = scope === undefined ? null : [...new Set(scope.split(' ').filter(Boolean))];
  return { credentials, scopes };
}

/** Returns the token to introspect or revoke; it is required. */
export function tokenOf({ parameters }: ClientRequest): string {
  const token = parameters.get('token');
  if (token === undefined) throw rejectedRequest('invalid_request', 'token is missing');
  return token;
}

/** A form arrives as a string, JSON arrives parsed. */
function readParameters(body: unknown): Parameters {
  const entries = typeof body === 'string' ? [...new URLSearchParams(body)] : readMembers(body);
  const parameters = new Map(entries);
  if (parameters.size < entries.length) throw rejectedRequest('invalid_request', 'Duplicate parameter');
  return new Map(entries.filter(([, value]) => value !== ''));
}

function readMembers(body: unknown): [string, string][] {
  const members: unknown = body ?? {};
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    throw rejectedRequest('invalid_request', 'The body must be a form or a JSON object');
  }
  return Object.entries(members).map(([name, value]: [string, unknown]) => {
    if (value === null) return [name, ''];
    if (typeof value === 'string') return [name, value];
    throw rejectedRequest('invalid_request', 'Every parameter must be a string');
  });
}

/**
 * Reads the credentials from HTTP Basic or from the body. Existing clients always send an Authorization header, so one that is
 * not Basic is ignored.
 */
function readCredentials(authorization: string | undefined, parameters: Parameters): ClientCredentials {
  const basic = /^Basic(?:\s+(\S.*)?)?$/is.exec(authorization ?? '');
  const [clientId = '', clientSecret = ''] = [parameters.get('client_id'), parameters.get('client_secret')];
  if (!basic) return { clientId, clientSecret };

  const credentials = readBasic(basic[1] ?? '');
  const isDouble = clientSecret !== '' || (clientId !== '' && clientId !== credentials.clientId);
  if (isDouble)
    throw rejectedRequest('invalid_request', 'Send the client credentials with HTTP Basic or in the body, not both');
  return credentials;
}

/** Clients form-encode ID and secret before joining them (RFC 6749, 2.3.1). */
function readBasic(encoded: string): ClientCredentials {
  const [, clientId, clientSecret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (clientId === undefined || clientSecret === undefined) return NO_CREDENTIALS;
  return { clientId: formDecoded(clientId), clientSecret: formDecoded(clientSecret) };
}

function formDecoded(text: string): string {
  return new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? '';
}
