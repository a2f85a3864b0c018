// @ts-check
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { between } from './figures.js';
import { CHANNELS, INVOICES } from './requests.js';

/** @typedef {import('./caller.js').Caller} Caller @typedef {import('./caller.js').Answer} Answer */

/**
 * A write that must happen exactly once, whatever fails: recorded with its key before it is sent.
 * @typedef {object} Write
 * @property {'invoice' | 'channel' | 'change'} kind
 * @property {string} key
 * @property {string} method
 * @property {string} path
 * @property {Record<string, unknown>} body
 * @property {Write | null} of the channel that a change changes
 * @property {{ status: number, body: any } | null} answer once it is acknowledged
 * @property {boolean} isTried it was sent at least once
 */

const WORKERS = 8;
const AGAIN_AFTER_MS = 30;

/** A client that records each write and its response, and repeats a write that was not acknowledged with the same key. */
export class RecordingClient {
  /** @type {Write[]} */
  writes = [];
  /** Descriptions of responses that no client should receive. @type {string[]} */
  faults = [];
  /** Milliseconds of each acknowledged request. @type {number[]} */
  times = [];
  requests = 0;
  /** @type {Write[]} */
  #pending = [];

  /** @param {Caller[]} callers one for each instance @param {string} token of staff */
  constructor(callers, token) {
    this.callers = callers;
    this.token = token;
    /** Part of every name that this client sends. */
    this.tag = `chaos ${randomUUID().slice(0, 8)}`;
  }

  get acknowledged() {
    return this.writes.filter(({ answer }) => answer !== null).length;
  }

  get pending() {
    return this.#pending.length;
  }

  /** Records new writes of all three kinds. @param {number} count */
  add(count) {
    for (let n = 0; n < count; n += 1) {
      const write = this.#newWrite();
      this.writes.push(write);
      this.#pending.push(write);
    }
  }

  /**
   * Sends the pending writes until all are acknowledged or the time is up. A write whose key is in progress remains pending.
   * @param {{ withinMs: number, onAcknowledged?: (count: number) => void }} options
   */
  async deliver({ withinMs, onAcknowledged }) {
    const until = performance.now() + withinMs;
    const queue = this.#pending;
    /** @type {Write[]} */
    const inProgress = [];
    let acknowledged = 0;
    const work = async () => {
      for (let write = queue.shift(); write; write = queue.shift()) {
        const result = performance.now() < until ? await this.#send(write) : 'in progress';
        if (result === 'acknowledged') onAcknowledged?.((acknowledged += 1));
        else if (result === 'in progress') inProgress.push(write);
        else if (result === 'again') queue.push(write);
        if (result === 'again') await pause(AGAIN_AFTER_MS);
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
    this.#pending = inProgress;
  }

  /**
   * Delivers all writes, beginning with unacknowledged ones, and returns the seconds until the last of these was acknowledged,
   * which is the time that its key was locked. Adds a fault if a write is not acknowledged in time.
   * @param {number} withinMs
   */
  async settle(withinMs) {
    const startedAt = performance.now();
    const until = startedAt + withinMs;
    const untried = this.#pending.filter(({ isTried }) => !isTried);
    this.#pending = this.#pending.filter(({ isTried }) => isTried);
    await this.#deliverAll(until);
    const seconds = (performance.now() - startedAt) / 1000;
    this.#pending.push(...untried);
    await this.#deliverAll(until);
    if (this.pending > 0) this.faults.push(`${this.pending} writes were not acknowledged in ${withinMs} ms`);
    return seconds;
  }

  /** @param {number} until by `performance.now()` */
  async #deliverAll(until) {
    while (this.pending > 0 && performance.now() < until) {
      await this.deliver({ withinMs: until - performance.now() });
      if (this.pending > 0) await pause(250);
    }
  }

  /** Repeats acknowledged writes: each response must be the same and marked as a replay. @param {number} [atMost] */
  async replay(atMost = 1_000) {
    const queue = this.writes.filter(({ answer }) => answer !== null).slice(-atMost);
    const work = async () => {
      for (let write = queue.shift(); write; write = queue.shift()) {
        const { status, body, headers } = await this.#call(write);
        const same = isDeepStrictEqual({ status, body }, write.answer) && headers['idempotent-replayed'] === 'true';
        if (!same) this.#fault(write, { status, body });
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
  }

  /** @returns {Write} */
  #newWrite() {
    const label = `${this.tag} ${this.writes.length}`;
    const of = between(1, 5) === 1 ? this.#someChannel() : null;
    const common = { key: randomUUID(), of, answer: null, isTried: false };
    if (of) {
      const path = `${CHANNELS}/${of.answer?.body.data.id}`;
      return { ...common, kind: 'change', method: 'PATCH', path, body: { description: label } };
    } else if (between(1, 3) === 1) {
      return { ...common, kind: 'channel', method: 'POST', path: CHANNELS, body: { name: label } };
    } else {
      const body = { supplierName: this.tag, invoiceNumber: label, currency: 'EUR', totalCents: between(1, 1e6) };
      const dated = { ...body, issueDate: '2027-01-15' };
      return { ...common, kind: 'invoice', method: 'POST', path: INVOICES, body: dated };
    }
  }

  #someChannel() {
    const known = this.writes.filter(({ kind, answer }) => kind === 'channel' && answer !== null).slice(-20);
    return known[between(0, known.length - 1)] ?? null;
  }

  /** @param {Write} write @returns {Promise<'acknowledged' | 'again' | 'in progress' | 'rejected'>} */
  async #send(write) {
    write.isTried = true;
    const { status, body, milliseconds } = await this.#call(write);
    if (status >= 200 && status < 300) {
      write.answer = { status, body };
      this.times.push(milliseconds);
      return 'acknowledged';
    } else if (status === 0 || status === 503) {
      return 'again';
    } else if (status === 409 && body?.code === 'idempotency_in_progress') {
      return 'in progress';
    } else {
      this.#fault(write, { status, body });
      return 'rejected';
    }
  }

  /** @param {Write} write @returns {Promise<Answer>} */
  async #call({ method, path, key, body }) {
    this.requests += 1;
    const caller = this.callers[between(0, this.callers.length - 1)];
    if (!caller) throw new Error('The client has no service');
    return caller.call({ method, path, token: this.token, headers: { 'idempotency-key': key }, body });
  }

  /** @param {Write} write @param {{ status: number, body: any }} answer */
  #fault({ method, path, key }, { status, body }) {
    if (this.faults.length < 20) {
      this.faults.push(`${method} ${path} with key ${key} returned ${status} ${JSON.stringify(body).slice(0, 200)}`);
    }
  }
}
