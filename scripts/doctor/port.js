// @ts-check
import { lockHolder } from '../lock.js';
import { isFree } from '../ports.js';
import { serviceLock } from '../service.js';
import { failed, fine, warned } from './finding.js';

const ANSWER_WITHIN_MS = 2_000;

/** Whether the service could listen, or does already. */
export async function checkPort() {
  const port = Number(process.env.PORT || 3000);
  // A wrong one is named with the rest of the configuration.
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return [];
  if (port === 0) return [fine('port', 'any free one')];
  const holder = await lockHolder(serviceLock(port));
  if (holder !== null) return [await ours(port, `process ${holder}`)];
  const host = process.env.HOST || '127.0.0.1';
  if (await isFree(port, host)) return [fine('port', `${port} is free`)];
  if ((await ask(port, 'live'))?.text === '{"status":"ok"}') return [await ours(port, 'not started by npm start')];
  const remedy = `end the program that holds it, or choose another port (PORT=${port + 1}) or an address of this machine (HOST)`;
  return [failed('port', `${port} on ${host} cannot be listened on`, remedy)];
}

/** @param {number} port @param {string} who */
async function ours(port, who) {
  const ready = await ask(port, 'ready');
  if (ready?.status === 200) return fine('port', `the service is running on ${port} (${who}) and ready`);
  const says = ready ? `but not ready: ${ready.text}` : 'but does not answer';
  return warned('port', `the service is running on ${port} (${who}), ${says}`, 'its log says why');
}

/** @param {number} port @param {'live' | 'ready'} what */
async function ask(port, what) {
  const host = process.env.HOST && !['0.0.0.0', '::'].includes(process.env.HOST) ? process.env.HOST : '127.0.0.1';
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/health/${what}`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return { status: answer.status, text: (await answer.text()).slice(0, 200) };
  } catch {
    return null;
  }
}
