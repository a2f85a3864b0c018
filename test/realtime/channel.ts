import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { newId } from '../../src/platform/ids/id.js';
import { MessagesRepository } from '../../src/modules/realtime/messages/messages.repository.js';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';

export interface Message {
  id: string;
  channel: string;
  event: string;
  data: unknown;
  publishedAt: string;
  publishedBy: string | null;
}

export interface History {
  messages: Message[];
  complete: string | undefined;
}

export function newChannelName(): string {
  return `test.${randomBytes(6).toString('hex')}`;
}

export const pathOf = (channel: string) => `/realtime/v1/channels/${channel}/messages`;

/**
 * Waits as long as a busy service requests and then repeats the call, as clients do: a 503 of these routes has changed
 * nothing.
 */
export async function patiently<Body>(call: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await call();
    if (answer.status !== 503 || attempt === 5) return answer;
    const { retryAfterMs } = JSON.parse(answer.text) as { retryAfterMs: number };
    await delay(retryAfterMs);
  }
}

export async function publish(client: TestClient, channel: string, data: unknown): Promise<Message> {
  const message = { event: 'test.happened', data };
  const { status, body } = await patiently(() => client.post<{ data: Message }>(pathOf(channel), message));
  expect(status).toBe(201);
  return body.data;
}

/** History as a reader receives it; `query` without its question mark. */
export async function read(client: TestClient, channel: string, query = ''): Promise<History> {
  const { status, body, headers } = await patiently(() => client.get<Message[]>(`${pathOf(channel)}?${query}`));
  expect(status).toBe(200);
  return { messages: body, complete: headers['x-realtime-complete'] };
}

export const dataOf = ({ messages }: History) => messages.map(({ data }) => data);

/** Publishes 1, 2, 3, ... in parallel batches, without HTTP. */
export async function fill(app: TestApp, channel: string, count: number): Promise<Message[]> {
  const log = app.nest.get(MessagesRepository);
  const all: Message[] = [];
  while (all.length < count) {
    const drafts = Array.from({ length: Math.min(1_000, count - all.length) }, (_, index) => {
      return { channel, event: 'test.happened', data: all.length + index + 1, publishedBy: 'platform' };
    });
    const messages = await log.append(drafts);
    all.push(...messages.map((message) => ({ ...message, publishedAt: message.publishedAt.toISOString() })));
  }
  return all;
}

/** A platform key with these scopes only. */
export async function keyWith(app: TestApp, ...scopes: string[]): Promise<TestClient> {
  return app.with(await tokenWith(app, ...scopes));
}

export async function tokenWith(app: TestApp, ...scopes: string[]): Promise<string> {
  const { token, publicId, secretHash } = newCredential('tpk');
  await app.sql(
    `insert into api_tokens (id, kind, public_id, secret_hash, name, scopes, created_at, updated_at)
     values ($1, 'platform', $2, $3, $2, $4, now(), now())`,
    [newId('tok'), publicId, secretHash, scopes],
  );
  return token;
}
