import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from './steps.js';

const MINUTE_MS = 60_000;
const END_WITHIN_MS = 5_000;
const running = new Set();

/**
 * Runs one step in its own process group, without standard input. After `limitMinutes` the whole group is ended and the step
 * has failed. Resolves to `{name, ok, seconds, output}`; `output` is empty if it was shown.
 */
export async function run({ name, command, env }, { show = false, limitMinutes = 5 } = {}) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
  });
  running.add(child);
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void end(child);
  }, limitMinutes * MINUTE_MS);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  running.delete(child);
  if (late) output += `\n${name} was ended after its limit of ${limitMinutes} minutes\n`;
  if (show && late) process.stdout.write(output);
  return { name, ok: code === 0 && !late, seconds: (performance.now() - startedAt) / 1000, output: show ? '' : output };
}

/** Runs all steps, a few at a time, and prints the result of each, and the output of those that failed. */
export async function runAll(steps, { atATime = 2 } = {}) {
  const waiting = [...steps];
  const results = [];
  const worker = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      process.stdout.write(`  ...   ${step.name}\n`);
      const result = await run(step);
      results.push(result);
      process.stdout.write(line(result));
      if (!result.ok) process.stdout.write(`${result.output.trimEnd()}\n`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return results;
}

export function line({ name, ok, seconds }) {
  return `  ${ok ? 'ok   ' : 'FAIL '} ${name} (${seconds.toFixed(1)} s)\n`;
}

// Ctrl-C reaches only the group of this process, so it is forwarded.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.on(signal, () => {
    void Promise.all([...running].map(end)).then(() => process.exit(code));
  });
}

async function end(child) {
  const ended = once(child, 'close');
  kill(child, 'SIGTERM');
  const timer = setTimeout(() => kill(child, 'SIGKILL'), END_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}

function kill(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The process group has already ended.
  }
}
