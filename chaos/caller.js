// @ts-check
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

const TIMEOUT_MS = 20_000;

/**
 * @typedef {object} Call
 * @property {string} [method] GET unless given
 * @property {string} path
 * @property {string} [token] sent as `Authorization: Bearer`
 * @property {Record<string, string>} [headers]
 * @property {unknown} [body] sent as JSON
 * @property {AbortSignal} [signal] hangs up
 */

/**
 * What came back: `status` 0 where no whole answer came, `failure` then says why.
 * @typedef {{ status: number, headers: import('node:http').IncomingHttpHeaders, body: any, failure: string | null, milliseconds: number }} Answer
 */

/** A client that keeps its connections, as a real one does, and to which a broken connection is an answer too. */
export class Caller {
  /** As many connections as any scenario has clients: none of them may wait for another in here. @param {string} url @param {{ connections?: number }} [options] */
  constructor(url, { connections = 512 } = {}) {
    this.url = new URL(url);
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** @param {Call} call @returns {Promise<Answer>} */
  async call(call) {
    const began = performance.now();
    const took = () => performance.now() - began;
    try {
      const response = await this.send(call);
      const received = await text(response);
      const isJson = (response.headers['content-type'] ?? '').includes('json');
      const body = isJson ? JSON.parse(received || 'null') : received;
      return { status: response.statusCode ?? 0, headers: response.headers, body, failure: null, milliseconds: took() };
    } catch (error) {
      return { status: 0, headers: {}, body: null, failure: wordsOf(error), milliseconds: took() };
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
      // Without this, a service that never answers would be waited for without an end.
      outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
      outgoing.end(payload);
    });
  }
}

/** @param {unknown} error */
function wordsOf(error) {
  const { code, message } = /** @type {{ code?: string, message?: string }} */ (error);
  return code ?? message ?? String(error);
}
