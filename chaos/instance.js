// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../scripts/ports.js';
import { Caller } from './caller.js';

const MAIN = join(import.meta.dirname, '../dist/src/main.js');
const START_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 30_000;
const POLL_MS = 20;

/** The built service in a separate process, which can be killed, stopped and started again on the same port. */
export class Instance {
  /** @type {import('node:child_process').ChildProcess | null} */
  child = null;

  /** @param {number} port @param {import('./world.js').World} world @param {Record<string, string>} env */
  constructor(port, world, env) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.env = { ...world.env, ...env, HOST: '127.0.0.1', PORT: String(port), NODE_OPTIONS: '' };
    this.logFile = join(world.folder, `service-${port}.log`);
    this.caller = new Caller(this.url);
  }

  /** Starts an instance on a free port. @param {import('./world.js').World} world @param {Record<string, string>} [env] */
  static async start(world, env = {}) {
    if (!existsSync(MAIN)) throw new Error('Build first: npm run build');
    const instance = new Instance(await freePort(), world, env);
    await instance.start().catch(async (error) => {
      await instance.kill();
      throw error;
    });
    return instance;
  }

  /** Starts two instances; if one of them does not start, the other one is killed. @param {import('./world.js').World} world @param {Record<string, string>} [env] */
  static async startTwo(world, env = {}) {
    const started = await Promise.allSettled([Instance.start(world, env), Instance.start(world, env)]);
    const instances = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failed = started.find((one) => one.status === 'rejected');
    if (!failed) return instances;
    await Promise.all(instances.map((instance) => instance.kill()));
    throw failed.reason;
  }

  get pid() {
    return this.child?.pid ?? 0;
  }

  get isAlive() {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts the process, and returns the seconds until it is ready. */
  async start() {
    const log = openSync(this.logFile, 'a');
    this.child = spawn(process.execPath, [MAIN], { env: this.env, stdio: ['ignore', log, log] });
    closeSync(log);
    return this.becomes(200, START_WITHIN_MS);
  }

  /** Waits until `/health/ready` returns this status, and returns the seconds. @param {number} status @param {number} withinMs */
  async becomes(status, withinMs) {
    const startedAt = performance.now();
    for (;;) {
      const { status: found } = await this.caller.call({ path: '/health/ready' });
      const seconds = (performance.now() - startedAt) / 1000;
      if (found === status) return seconds;
      if (!this.isAlive) throw new Error(`The service ended by itself:\n${this.lastLogLines()}`);
      if (seconds * 1000 > withinMs) throw new Error(`The service did not become ${status} within ${withinMs} ms`);
      await pause(POLL_MS);
    }
  }

  /** kill -9. */
  async kill() {
    const { child } = this;
    if (!child || !this.isAlive) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Stops it as a deployment does. The exit code is null if it had to be killed. @returns {Promise<number | null>} */
  async stop() {
    const { child } = this;
    if (!child) return null;
    if (this.isAlive) {
      const exited = once(child, 'exit');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      child.kill('SIGTERM');
      await exited;
      clearTimeout(timer);
    }
    this.caller.agent.destroy();
    return child.exitCode;
  }

  lastLogLines() {
    return readFileSync(this.logFile, 'utf8').split('\n').slice(-20).join('\n');
  }
}
