// @ts-check
import { connect } from 'node:net';
import { failed, fine, warned } from './finding.js';

const CONNECT_MS = 3_000;
/** The service works without these services. */
const COLLECTOR = 'collector';
const PORTS = new Map([
  ['http:', 80],
  ['https:', 443],
  ['smtp:', 587],
  ['smtps:', 465],
]);

/** @type {[check: string, variable: string, missing: string][]} */
const SERVICES = [
  ['object store', 'FILES_S3_ENDPOINT', 'files cannot be read or stored'],
  ['mail server', 'SMTP_URL', 'mails wait'],
  [COLLECTOR, 'OTEL_EXPORTER_OTLP_ENDPOINT', 'traces are lost'],
];

/**
 * Checks whether the other services accept connections. Does not try credentials and buckets, which `/health/ready` reports.
 */
export async function checkServices() {
  const configured = SERVICES.filter(([, variable]) => URL.canParse(process.env[variable]?.trim() ?? ''));
  return Promise.all(
    configured.map(async ([check, variable, missing]) => {
      const { hostname, port, protocol } = new URL(process.env[variable]?.trim() ?? '');
      const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (PORTS.get(protocol) ?? 443) };
      const error = await attempt(address);
      const place = `${address.host} port ${address.port}`;
      if (error === null) return fine(check, `${place} accepts connections`);
      const remedy = `correct ${variable}, start that server, or let this machine reach it`;
      const found = check === COLLECTOR ? warned : failed;
      return found(check, `${place} cannot be reached (${error}): ${missing}`, remedy);
    }),
  );
}

/**
 * Returns the error of a connection; null if it succeeds. @param {{ host: string, port: number }} address @returns
 * {Promise<string | null>}
 */
function attempt(address) {
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: CONNECT_MS });
    const end = (/** @type {string | null} */ error) => {
      socket.destroy();
      resolve(error);
    };
    socket.once('connect', () => end(null));
    socket.once('timeout', () => end('no answer'));
    socket.once('error', (/** @type {NodeJS.ErrnoException} */ error) => end(error.code ?? error.message));
  });
}
