// @ts-check
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { codeOf } from './processes.js';

/**
 * Runs a program quietly. With a `signal`, that alone ends it, and not a Ctrl-C in the terminal as well.
 * @param {string[]} command
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal }} options
 * @returns {Promise<{ code: number, output: string }>} `output`: both of its outputs
 */
export function runQuietly([program = '', ...words], options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      ...options,
      detached: options.signal !== undefined,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (output += text));
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: exitCode(code, signal), output }));
  });
}

/**
 * Runs a program in the foreground, in a session of its own: Ctrl-C reaches the whole foreground group, and npm sends
 * it on a second time; the program hears of it once, from us.
 * @param {string[]} command
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, stdin: 'ignore' | 'inherit', stopping: AbortSignal, killing: AbortSignal, started?: (pid: number) => void }} options
 *   `stopping`: asks it to end, with the signal that is its reason; `killing`: ends it
 * @returns {Promise<number>} its exit code; 0 when it ended because it was asked to
 */
export function runInForeground([program = '', ...words], { cwd, env, stdin, stopping, killing, started }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, detached: true, stdio: [stdin, 'inherit', 'inherit'] });
    const ask = () => child.kill(stopping.reason);
    const kill = () => child.kill('SIGKILL');
    child.once('error', reject);
    child.once('spawn', () => {
      if (child.pid !== undefined) started?.(child.pid);
      stopping.addEventListener('abort', ask);
      killing.addEventListener('abort', kill);
      if (stopping.aborted) ask();
    });
    child.once('exit', (code, signal) => {
      stopping.removeEventListener('abort', ask);
      killing.removeEventListener('abort', kill);
      const asked = stopping.aborted && exitCode(code, signal) === exitCode(null, stopping.reason);
      resolve(asked ? 0 : exitCode(code, signal));
    });
  });
}

/** As a shell counts: 128 and the number of the signal. @param {number | null} code @param {NodeJS.Signals | null} signal */
function exitCode(code, signal) {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

/**
 * The signals that ask us to stop. A second one, two seconds or more after the first (npm and the terminal both send
 * the first), means that somebody lost patience. The end of the npm that runs us counts as one: killed, it tells nobody.
 * @returns {{ stopping: AbortSignal, killing: AbortSignal }}
 */
export function stopSignals() {
  const [stopping, killing] = [new AbortController(), new AbortController()];
  let since = 0;
  const stop = (/** @type {NodeJS.Signals} */ name) => {
    if (!stopping.signal.aborted) {
      since = performance.now();
      stopping.abort(name);
    } else if (performance.now() - since > 2000) {
      killing.abort();
    }
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  process.on('SIGHUP', () => stop('SIGTERM'));
  const npm = process.ppid;
  if (process.env.npm_lifecycle_event) {
    const watch = setInterval(() => process.ppid === npm || (clearInterval(watch), stop('SIGTERM')), 500).unref();
  }
  return { stopping: stopping.signal, killing: killing.signal };
}

/** Whether an error only says that we were asked to stop. @param {unknown} error @param {AbortSignal} stopping */
export function isStop(error, stopping) {
  return stopping.aborted && (error === stopping.reason || codeOf(error) === 'ABORT_ERR');
}
