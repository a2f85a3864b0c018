import { newOperator } from '../connect/partners.js';
import { newChannel } from '../distribution/channels.js';
import type { TestApp } from '../setup/app.js';

export const CONNECTIONS = '/v1/admin/octo/connections';

export interface OctoConnection {
  id: string;
  channelId: string;
  operatorId: string | null;
  version: number;
  [member: string]: unknown;
}

/** The body of a connection of a new operator and channel; `terms` contain the members that matter to the test. */
export async function octoConnection(app: TestApp, terms: object = {}): Promise<Record<string, unknown>> {
  const { id: channelId } = await newChannel(app);
  return { name: 'Reseller of a test', channelId, operatorId: await newOperator(app), ...terms };
}

export async function newConnection(app: TestApp, terms: object = {}): Promise<OctoConnection> {
  const body = await octoConnection(app, terms);
  const answer = await app.as('owner').post<{ data: OctoConnection }>(CONNECTIONS, body);
  if (answer.status !== 201) throw new Error(`The connection was rejected: ${answer.text}`);
  return answer.body.data;
}
