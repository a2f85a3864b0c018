import { randomUUID } from 'node:crypto';
import { AccountLinksService } from '../../src/modules/identity/account-links/account-links.service.js';
import { setTimeout } from 'node:timers/promises';
import type { TestClient } from '../setup/client.js';
import type { TestApp } from '../setup/app.js';
import { UNAUTHORIZED_TEXT } from '../setup/unauthorized.js';

export const USERS = '/v1/admin/identity/users';
export const SESSIONS = '/v1/admin/identity/sessions';
export const TOKENS = '/v1/admin/identity/api-tokens';
export const INVITATIONS = '/v1/admin/identity/invitations';
export const ACCEPTANCE = `${INVITATIONS}/acceptance`;
export const RESETS = '/v1/admin/identity/password-resets';
export const OWN_PASSWORD = '/v1/admin/identity/me/password';
export const ME = '/v1/admin/identity/me';

export interface UserBody {
  id: string;
  email: string;
  name: string;
  roles: string[];
  active: boolean;
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface Member {
  user: UserBody;
  password: string;
  /** Calls the service with a session of the user. */
  client: TestClient;
  /** The token of the session. */
  session: string;
}

export const uniqueEmail = () => `${randomUUID()}@example.com`;
export const PASSWORD = 'correct horse battery staple';

/** The token of the open link of an invitation or of a user's password reset, which only a mail contains. */
export async function linkToken(app: TestApp, subjectId: string): Promise<string> {
  const [link] = await app.sql<{ id: string }>(
    'select id from account_links where coalesce(invitation_id, user_id) = $1 and ended_at is null',
    [subjectId],
  );
  return app.nest.get(AccountLinksService, { strict: false }).tokenOf(link?.id ?? '');
}

/** A new staff user for a test, who has accepted an invitation, logged in. */
export async function hire(
  app: TestApp,
  roles: string[],
  { password = PASSWORD, email = uniqueEmail() } = {},
): Promise<Member> {
  const invited = await app
    .as('owner')
    .post<{ data: { id: string } }>(INVITATIONS, { email, name: 'Test Member', roles });
  if (invited.status !== 201) throw new Error(`inviting a user answered ${invited.status} ${invited.text}`);
  const token = await linkToken(app, invited.body.data.id);
  const created = await app.post<{ data: UserBody & { deviceToken: string } }>(ACCEPTANCE, { token, password });
  if (created.status !== 201) throw new Error(`accepting an invitation answered ${created.status} ${created.text}`);
  const session = await login(app, email, password);
  const { deviceToken: _device, ...user } = created.body.data;
  return { user, password, session, client: app.with(session) };
}

/** Waits until the last use of a credential is stored, which happens after the response. */
export async function usedSince(app: TestApp, table: 'staff_sessions' | 'api_tokens', since: Date): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const rows = await app.sql(`select from ${table} where last_used_at >= $1`, [since]);
    if (rows.length > 0) return;
    await setTimeout(50);
  }
  throw new Error(`Nothing in ${table} was noted as used`);
}

/** The token of a new session. Throws if the login is rejected. */
export async function login(app: TestApp, email: string, password: string): Promise<string> {
  const { status, body, text } = await app.post<{ data: { token: string } }>(SESSIONS, { email, password });
  if (status !== 201) throw new Error(`login answered ${status} ${text}`);
  return body.data.token;
}

export async function makeToken(client: TestClient, scopes: string[]): Promise<{ id: string; token: string }> {
  const { body } = await client.post<{ data: { id: string; token: string } }>(TOKENS, { name: 'Test token', scopes });
  return body.data;
}

/** The complete 401 of a surface. */
export function unauthorizedBody(headers: Record<string, string>): object {
  return { error: UNAUTHORIZED_TEXT.staff, code: 'unauthorized', requestId: headers['x-request-id'] };
}

export function errorBody(
  headers: Record<string, string>,
  code: string,
  more: { error: string; details?: object },
): object {
  return {
    error: more.error,
    code,
    requestId: headers['x-request-id'],
    ...(more.details ? { details: more.details } : {}),
  };
}

/** Deletes the failure counts in the database: the failures of one test must not limit the next one. */
export async function forgetFailures(app: TestApp): Promise<void> {
  await app.sql('delete from failure_limits');
}
