import { accessSync, constants } from 'node:fs';

/** As PostgreSQL's own clients define them. The driver's other modes, `prefer` and `no-verify`, have other meanings there. */
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * The fault of the TLS parameters of a database URL, or null. Files are checked here because the driver reads them only when
 * it connects, and would then report them as an error of the network.
 */
export function tlsFault({ searchParams }: URL): string | null {
  const mode = searchParams.get('sslmode');
  if (mode !== null && !MODES.includes(mode)) return `has the sslmode '${mode}', which is none of ${MODES.join(', ')}`;
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) {
    return 'has the sslmode verify-ca without sslrootcert, the file of the authority';
  }
  if (searchParams.has('sslcert') !== searchParams.has('sslkey')) return 'needs both sslcert and sslkey, or neither';
  const unreadable = FILES.find((name) => !isReadable(searchParams.get(name)));
  return unreadable === undefined
    ? null
    : `names ${unreadable}=${searchParams.get(unreadable)}, a file that the service cannot read`;
}

/**
 * Returns a URL that makes the driver interpret the modes as PostgreSQL does. Otherwise it treats them all as verify-full, and
 * warns.
 */
export function withPostgresTlsModes(text: string): string {
  const url = new URL(text);
  if (!url.searchParams.has('sslmode')) return text;
  url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
}

/** Whether traffic to the server is encrypted and the server's certificate verified. */
export function hasVerifiedTls({ searchParams }: URL): boolean {
  const mode = searchParams.get('sslmode');
  if (mode === null) return searchParams.get('ssl') === 'true';
  // `require` with an authority is the same as `verify-ca`: only the name of the host is not verified.
  const verifiesAuthority = mode === 'require' || mode === 'verify-ca';
  return mode === 'verify-full' || (verifiesAuthority && searchParams.has('sslrootcert'));
}

function isReadable(path: string | null): boolean {
  if (path === null) return true;
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
