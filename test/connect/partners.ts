import { expect } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { PlatformKeysService } from '../../src/modules/identity/api-tokens/platform-keys.service.js';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { type AppliedSection, Provisioning } from '../../src/platform/provisioning/provisioning.js';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

export interface OAuthClient {
  id: string;
  operatorId: string;
  clientId: string;
  name: string | null;
  scopes: string[];
  grantId: string | null;
  expiresAt: string | null;
  active: boolean;
  createdAt: string;
  revokedAt: string | null;
  clientSecret: string;
}

export interface CreatedClient extends OAuthClient {
  warnings: { code: string; scope: string }[];
}

export interface Token {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
}

export const TOKEN = '/connect/v1/oauth/token';
export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

export function clientsOf(operatorId: string): string {
  return `/connect/v1/operators/${operatorId}/oauth-clients`;
}

export function uniqueName(prefix: string): string {
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}

/** Applies a provisioning document, as `platform provision` does. */
export function provision(app: TestApp, document: object): Promise<AppliedSection[]> {
  return app.nest.get(Provisioning).apply(document);
}

/** A new operator without clients. */
export async function newOperator(app: TestApp): Promise<string> {
  const id = uniqueName('op');
  await provision(app, { operators: [{ id, name: 'Partner of a test' }] });
  return id;
}

/** A new grant of the operator. */
export async function newGrant(app: TestApp, operatorId: string, values: object): Promise<string> {
  const id = uniqueName('grant');
  await provision(app, { operatorGrants: [{ id, operatorId, ...values }] });
  return id;
}

/** A new platform key that has these scopes. */
export async function newKey(app: TestApp, scopes: string[], operatorId: string | null = null): Promise<string> {
  const { token } = newCredential('tpk');
  const key = { name: uniqueName('key'), scopes, operatorId, token };
  await asSystem(() => app.nest.get(PlatformKeysService, { strict: false }).provide(key));
  return token;
}

/** A client of the service with a new platform key that has these scopes. */
export async function withKey(app: TestApp, scopes: string[], operatorId: string | null = null): Promise<TestClient> {
  return app.with(await newKey(app, scopes, operatorId));
}

/** A new client of the operator, created by a caller with all scopes. */
export async function newClient(app: TestApp, operatorId: string, values: object = {}): Promise<OAuthClient> {
  const body = { scopes: ['connect:bookings:read'], ...values };
  const answer = await app.as('platform').post<CreatedClient>(clientsOf(operatorId), body);
  if (answer.status !== 201) throw new Error(`The client was not created: ${answer.text}`);
  const { warnings: _, ...client } = answer.body;
  return client;
}

/** Requests a token by a form with the ID and secret of the client. */
export function requestToken(
  app: TestClient,
  client: Pick<OAuthClient, 'clientId' | 'clientSecret'>,
  more: Record<string, string> = {},
): ReturnType<typeof app.post<Token>> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
    ...more,
  });
  return app.post<Token>(TOKEN, undefined, { raw: form.toString(), headers: FORM });
}

/** A client of the service with a new access token of this OAuth client. */
export async function actingAs(app: TestApp, client: OAuthClient): Promise<TestClient> {
  const { status, body, text } = await requestToken(app, client);
  if (status !== 200) throw new Error(`No token was issued: ${text}`);
  return app.with(body.access_token);
}

/** The entries of the action ledger about this subject, in their order. */
export function entriesOf(app: TestApp, subjectId: string): Promise<Record<string, unknown>[]> {
  return app.sql(
    `select action, subject_type, actor_type, actor_id, before, after
     from action_ledger_entries e join ledger_payloads p on p.entry_id = e.id
     where subject_id = $1 order by sequence`,
    [subjectId],
  );
}

/** The complete body of an error on the connect surface. */
export function errorBody(code: string, details?: object): object {
  const body = { error: expect.any(String), code, requestId: expect.any(String) };
  return details ? { ...body, details } : body;
}
