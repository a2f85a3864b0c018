import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { endAll, ServiceProcess } from '../platform/service-process.js';
import { readCredentials } from '../setup/credentials.js';
import { type Message, newChannelName, pathOf } from './channel.js';
import { closeStreams, StreamClient } from './following.js';
import { withSession } from './session.js';

const PUBLISHERS = 50;
const EACH = 6;

let services: [ServiceProcess, ServiceProcess];
const headers = { authorization: `Bearer ${readCredentials().platformKey}`, 'content-type': 'application/json' };

beforeAll(async () => {
  services = [await ServiceProcess.start(), await ServiceProcess.start()];
}, 120_000);
afterAll(async () => {
  closeStreams();
  await endAll();
});

/** Tries the instances in turn until one responds, as a client behind a load balancer does. */
async function anyAnswer(path: string, init: RequestInit = {}, first = 0): Promise<Response> {
  for (let attempt = first; ; attempt += 1) {
    const { url } = services[attempt % 2 === 0 ? 0 : 1];
    const response = await fetch(url + path, { ...init, headers }).catch(() => null);
    if (response && response.status < 500) return response;
    await response?.body?.cancel();
    if (attempt - first > 200) throw new Error(`${path} was not answered`);
    await pause(50);
  }
}

async function publish(channel: string, data: unknown, first: number): Promise<string> {
  const body = JSON.stringify({ event: 'test.happened', data });
  const response = await anyAnswer(pathOf(channel), { method: 'POST', body }, first);
  expect(response.status).toBe(201);
  return ((await response.json()) as { data: Message }).data.id;
}

/** Pages by sinceId until the last message arrives. */
async function follow(channel: string, from: string, node: number): Promise<string[]> {
  const seen: Message[] = [];
  for (let since = from; !seen.some(({ data }) => data === 'last'); since = seen.at(-1)?.id ?? from) {
    const response = await anyAnswer(`${pathOf(channel)}?limit=17&sinceId=${since}`, {}, node);
    expect([response.status, response.headers.get('x-realtime-complete')]).toEqual([200, 'true']);
    seen.push(...((await response.json()) as Message[]));
  }
  return seen.map(({ id }) => id);
}

it('readers get every message once and in order while 50 clients publish, a process is killed and its listening connection ends', async () => {
  const channel = newChannelName();
  const first = await publish(channel, 'first', 0);
  const live = await StreamClient.open({
    url: services[1].url,
    token: readCredentials().platformKey,
    channel,
    sinceId: first,
  });
  const readers = Array.from({ length: 4 }, (_, n) => follow(channel, first, n));

  let published = 0;
  const publishing = Array.from({ length: PUBLISHERS }, async (_, publisher) => {
    const ids: string[] = [];
    for (let n = 0; n < EACH; n += 1) {
      ids.push(await publish(channel, { publisher, n }, publisher));
      published += 1;
    }
    return ids;
  });
  while (published < (PUBLISHERS * EACH) / 3) await pause(5);
  await services[0].end('SIGKILL');
  await withSession((session) =>
    session.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'travel-operations-notifier' and datname = current_database()`,
    ),
  );
  const acknowledged = (await Promise.all(publishing)).flat();
  const last = await publish(channel, 'last', 1);

  const seen = await Promise.all(readers);
  const history = (await (await anyAnswer(`${pathOf(channel)}?limit=1000`)).json()) as Message[];
  const all = history.slice(1).map(({ id }) => id);
  await live.until(all.length);

  expect(seen).toEqual(seen.map(() => all));
  expect(live.messages.map(({ id }) => id)).toEqual(all);
  expect(new Set(all).size).toBe(all.length);
  expect(all).toEqual([...all].sort());
  // A message that was being published when the instance died may exist without its publisher knowing; it was sent
  // again.
  expect(all).toEqual(expect.arrayContaining([...acknowledged, last]));
  expect(acknowledged).toHaveLength(PUBLISHERS * EACH);
}, 120_000);
