import { expect } from '@jest/globals';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';

export const CHANNELS = '/v1/admin/distribution/channels';

export interface Channel {
  id: string;
  name: string;
  description: string | null;
  kind: string;
  status: string;
  website: string | null;
  contactName: string | null;
  contactEmail: string | null;
  metadata: Record<string, unknown> | null;
  systemKey: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface ErrorBody {
  error: string;
  code: string;
  requestId: string;
  details?: { issues?: Issue[]; [member: string]: unknown };
}

export interface Issue {
  path: string;
  message: string;
  code: string;
}

export type ChannelAnswer = Answer<{ data: Channel }>;

let made = 0;

/** A name that no other channel of this database uses. */
export function unique(text: string): string {
  made += 1;
  return `${text} ${process.hrtime.bigint().toString(36)}-${made}`;
}

/** A new channel; `terms` contain the members that matter to the test. */
export async function newChannel(app: TestApp, terms: object = {}): Promise<Channel> {
  const answer: ChannelAnswer = await app.as('owner').post(CHANNELS, { name: unique('Channel'), ...terms });
  if (answer.status !== 201) throw new Error(`The channel was rejected: ${answer.text}`);
  return answer.body.data;
}

export async function read(app: TestApp, id: string): Promise<Channel> {
  return (await app.as('owner').get<{ data: Channel }>(`${CHANNELS}/${id}`)).body.data;
}

export function change(client: TestClient, id: string, body: object): Promise<ChannelAnswer> {
  return client.patch(`${CHANNELS}/${id}`, body);
}

/** The whole body of an error. */
export function errorBody(answer: Answer, { error, code, details }: Omit<ErrorBody, 'requestId'>): object {
  return { error, code, requestId: answer.headers['x-request-id'], ...(details ? { details } : {}) };
}

/** The whole body of a request that is rejected for these issues. */
export function invalid(answer: Answer, issues: Issue[]): object {
  const fields: Record<string, string[]> = {};
  for (const { path, message } of issues) (fields[path] ??= []).push(message);
  return {
    ...errorBody(answer, { error: 'The request is invalid', code: 'invalid_request' }),
    details: { issues: issues.map((one) => expect.objectContaining({ ...one }) as object), fields },
  };
}

export const NAME_TAKEN = {
  code: 'channel_name_taken',
  error: 'Another channel already has this name',
  details: { field: 'name' },
};
export const NOT_FOUND = { code: 'not_found', error: 'Not found' };
