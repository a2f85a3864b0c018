// @ts-check
import { codeOf } from '../processes.js';

const CONNECT_MS = 5_000;
const REMEDIES = new Map([
  [
    'ECONNREFUSED',
    'no server accepts connections at this address: start it, or unset DATABASE_URL to use the embedded one',
  ],
  ['ENOTFOUND', 'the host cannot be found: check its spelling'],
  ['EAI_AGAIN', 'the host cannot be found: check its spelling, and the name server'],
  ['28P01', 'the server rejects this user or password: check both'],
  ['28000', 'the server rejects this user or password: check both, and its pg_hba.conf'],
  ['3D000', 'the database does not exist: create it (createdb)'],
  ['53300', 'all connections are in use: raise max_connections, or end other clients'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host name: connect by a name that it contains'],
  ['CERT_HAS_EXPIRED', 'the certificate of the server has expired: renew it there'],
  ['57P03', 'the server is starting or stopping: try again'],
]);

const UNTRUSTED =
  'the certificate of the server is not signed by a trusted authority: name the file of its authority by sslrootcert';
for (const code of [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]) {
  REMEDIES.set(code, UNTRUSTED);
}

/** A client that is not connected yet, and gives up soon; `options` are further ones of pg. @param {string} url @param {object} options */
export async function newClient(url, options = {}) {
  // Its package may not be installed.
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    ...options,
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  });
  client.on('error', () => undefined);
  return client;
}

/** @param {unknown} error */
export function remedyFor(error) {
  return REMEDIES.get(codeOf(error));
}

/** @param {unknown} error */
export function textOf(error) {
  return codeOf(error) || (error instanceof Error ? error.message : String(error));
}
