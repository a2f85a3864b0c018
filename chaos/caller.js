// @ts-check
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

const TIMEOUT_MS = 20_000;

/**
 * @typedef {object} Call
 * @property {string} [method] default: GET
 * @property {string} path
 * @property {string} [token] sent as `Authorization: Bearer`
 * @property {Record<string, string>} [headers]
 * @property {unknown} [body] sent as JSON
 * @property {AbortSignal} [signal] closes the connection
 */

/**
 * A response. `status` is 0 if no complete response was received; `failure` is then the reason.
 * @typedef {{ status: number, headers: import('node:http').IncomingHttpHeaders, body: any, failure: string | null, milliseconds: number }} Answer
 */

/** A client with persistent connections, which returns a failed connection as a response. */
export class Caller {
  /** By default enough connections for every client of a scenario, so that none waits for another one. @param {string} url @param {{ connections?: number }} [options] */
  constructor(url, { connections = 512 } = {}) {
    this.url = new URL(url);
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** @param {Call} call @returns {Promise<Answer>} */
  async call(call) {
    const startedAt = performance.now();
    const took = () => performance.now() - startedAt;
    try {
      const response = await this.send(call);
      const received = await text(response);
      const isJson = (response.headers['content-type'] ?? '').includes('json');
      const body = isJson ? JSON.parse(received || 'null') : received;
      return { status: response.statusCode ?? 0, headers: response.headers, body, failure: null, milliseconds: took() };
    } catch (error) {
      return { status: 0, headers: {}, body: null, failure: textOf(error), milliseconds: took() };
    }
  }

  close() {
    this.agent.destroy();
  }

  /** @param {Call} call @returns {Promise<import('node:http').IncomingMessage>} */
  send({ method = 'GET', path, token, headers = {}, body, signal }) {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const all = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
      ...headers,
    };
    const { hostname, port } = this.url;
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { agent: this.agent, host: hostname, port, method, path, headers: all, signal },
        resolve,
      );
      outgoing.on('error', reject);
      // A service that never responds would block the scenario.
      outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error(`no response within ${TIMEOUT_MS} ms`)));
      outgoing.end(payload);
    });
  }
}

/** @param {unknown} error */
function textOf(error) {
  const { code, message } = /** @type {{ code?: string, message?: string }} */ (error);
  return code ?? message ?? String(error);
}
