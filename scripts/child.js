// @ts-check
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { codeOf } from './processes.js';

/**
 * Runs a program without showing its output. With a `signal`, a Ctrl-C in the terminal does not reach it.
 * @param {string[]} command
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal }} options
 * @returns {Promise<{ code: number, output: string }>} `output` is from both streams
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
 * Runs a program in the foreground, in its own session: Ctrl-C reaches the whole foreground group, and npm forwards it a
 * second time; this way the program receives it once, from this process.
 * @param {string[]} command
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, stdin: 'ignore' | 'inherit', stopping: AbortSignal, killing: AbortSignal }} options
 *   `stopping`: sends the signal that is its reason; `killing`: sends SIGKILL
 * @returns {Promise<number>} its exit code; 0 if the signal ended it
 */
export function runInForeground([program = '', ...words], { cwd, env, stdin, stopping, killing }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, detached: true, stdio: [stdin, 'inherit', 'inherit'] });
    const stop = () => child.kill(stopping.reason);
    const kill = () => child.kill('SIGKILL');
    child.once('error', reject);
    child.once('spawn', () => {
      stopping.addEventListener('abort', stop);
      killing.addEventListener('abort', kill);
      if (stopping.aborted) stop();
    });
    child.once('exit', (code, signal) => {
      stopping.removeEventListener('abort', stop);
      killing.removeEventListener('abort', kill);
      const isStopped = stopping.aborted && exitCode(code, signal) === stoppedCode(stopping);
      resolve(isStopped ? 0 : exitCode(code, signal));
    });
  });
}

/**
 * Returns the exit code as a shell does: for a signal, 128 plus its number. @param {number | null} code @param {NodeJS.Signals
 * | null} signal
 */
function exitCode(code, signal) {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

/** Returns the exit code of a program that a signal has stopped. @param {AbortSignal} stopping */
export function stoppedCode(stopping) {
  return exitCode(null, stopping.reason);
}

/**
 * The signals that stop this process. The first signal aborts `stopping`; a signal at least two seconds later aborts `killing`
 * (npm and the terminal both send the first one). The end of the npm that runs this process counts as a signal, because a
 * killed npm sends none.
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

/** Returns whether an error is only a consequence of a stop. @param {unknown} error @param {AbortSignal} stopping */
export function isStop(error, stopping) {
  return stopping.aborted && (error === stopping.reason || codeOf(error) === 'ABORT_ERR');
}
