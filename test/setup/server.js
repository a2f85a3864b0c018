import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const STOP_WITHIN_MS = 15_000;

/**
 * The PostgreSQL server of this run: the one of `TEST_DATABASE_URL` (its role must be allowed to create databases; a superuser
 * shows best that the application needs no special rights), otherwise an embedded one with its data in `folder`.
 */
export async function startServer(folder) {
  const given = process.env.TEST_DATABASE_URL;
  return given ? { adminUrl: given, stop: async () => {} } : embedded(folder);
}

async function embedded(folder) {
  const script = join(import.meta.dirname, 'server-process.js');
  const child = spawn(process.execPath, [script, folder], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const ended = once(child, 'exit');
  const { adminUrl } = JSON.parse(await firstLine(child));
  // Neither the child nor its pipes may keep a finished run from ending.
  child.unref();
  child.stdout.destroy();
  return { adminUrl, stop: () => stop(child, ended) };
}

async function firstLine(child) {
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
  }
  throw new Error('The embedded PostgreSQL for the tests did not start; its message stands above.');
}

async function stop(child, ended) {
  child.ref();
  child.stdin.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}
