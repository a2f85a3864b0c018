import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { hire, makeToken, ME, errorBody, TOKENS } from './staff.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

interface TokenBody {
  id: string;
  token?: string;
  scopes: string[];
  userId: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

describe('an API token', () => {
  it('an API token is returned by its creation, and by no other response', async () => {
    const { client, user } = await hire(app, ['owner']);
    const body = { name: 'Export', scopes: ['finance:read'] };
    const { status, body: created, headers } = await client.post<{ data: TokenBody }>(TOKENS, body);
    expect(status).toBe(201);
    const { token, ...rest } = created.data;
    expect(token).toMatch(/^vsk_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/);
    expect(rest).toEqual({
      id: expect.stringMatching(/^atok_/),
      ...body,
      userId: user.id,
      expiresAt: expect.any(String),
      revokedAt: null,
      lastUsedAt: null,
      createdAt: expect.any(String),
    });
    expect(headers['cache-control']).toBe('private, no-store');
    const list = await client.get<{ data: TokenBody[] }>(`${TOKENS}?userId=${user.id}`);
    expect(list.body).toEqual({ data: [rest], total: 1, limit: 50, offset: 0 });
    const ledger = await app.sql(
      'select e.*, p.after from action_ledger_entries e join ledger_payloads p on p.entry_id = e.id where subject_id = $1',
      [rest.id],
    );
    expect(ledger).toHaveLength(1);
    expect(JSON.stringify(ledger)).not.toContain(token?.slice(21));
  });

  it('an API token is not part of an idempotent replay', async () => {
    const call = { headers: { 'Idempotency-Key': randomUUID() } };
    const body = { name: 'Once', scopes: ['finance:read'] };
    const first = await owner.post<{ data: TokenBody }>(TOKENS, body, call);
    const again = await owner.post<{ data: TokenBody }>(TOKENS, body, call);
    expect(again.status).toBe(201);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const { token, ...rest } = first.body.data;
    expect(token).toBeDefined();
    expect(again.body.data).toEqual(rest);
  });

  it('an API token cannot have more scopes than its creator: 403 with the excess scopes', async () => {
    const { token } = await makeToken(owner, ['identity:write', 'finance:*']);
    const scopes = ['finance:read', 'finance:approve', 'trips:read', '*'];
    const { status, body, headers } = await app.with(token).post(TOKENS, { name: 'Too much', scopes });
    expect(status).toBe(403);
    const details = { excessScopes: ['finance:approve', 'trips:read', '*'] };
    expect(body).toEqual(
      errorBody(headers, 'forbidden', { error: 'The roles or scopes exceed the scopes of the caller', details }),
    );
    const within = await app.with(token).post(TOKENS, { name: 'Within', scopes: ['finance:delete'] });
    expect(within.status).toBe(201);
  });

  const SCOPE = 'must be a staff scope, such as finance:read, finance:approve or finance:*';
  const END = 'expiresAt must be in the future, within a year';
  it.each([
    { what: 'an unknown scope', more: { scopes: ['finance:fly'] }, path: 'scopes', message: `scopes.0 ${SCOPE}` },
    {
      what: 'a scope of another surface',
      more: { scopes: ['finance:read', 'vault:read'] },
      path: 'scopes',
      message: `scopes.1 ${SCOPE}`,
    },
    {
      what: 'an end in the past',
      more: { expiresAt: '2020-01-01T00:00:00Z' },
      path: 'expiresAt',
      message: END,
      code: 'not_in_the_future',
    },
    {
      what: 'an end too far away',
      more: { expiresAt: '2199-01-01T00:00:00Z' },
      path: 'expiresAt',
      message: END,
      code: 'too_late',
    },
  ])('an API token with $what is rejected with 400', async ({ more, path, message, ...rest }) => {
    const { status, body, headers } = await owner.post(TOKENS, { name: 'x', scopes: ['finance:read'], ...more });
    expect(status).toBe(400);
    expect(body).toEqual(
      errorBody(headers, 'invalid_request', {
        error: 'The request is invalid',
        details: {
          issues: [expect.objectContaining({ path, message, ...('code' in rest ? { code: rest.code } : {}) })],
          fields: { [path]: [message] },
        },
      }),
    );
  });

  it('an API token ends after a year at most, also without an end, unless a setting allows otherwise', async () => {
    const create = async (on: TestApp, more: object) => {
      const body = { name: 'Long', scopes: ['identity:*', 'finance:read'], ...more };
      const answer = await on.as('owner').post<{ data: TokenBody }>(TOKENS, body);
      return answer.status === 201 ? answer.body.data.expiresAt : answer.status;
    };
    const inDays = (days: number) => new Date(app.now().getTime() + days * 86_400_000).toISOString();
    for (const more of [{}, { expiresAt: null }]) {
      const end = await create(app, more);
      expect([String(end) > inDays(365), String(end) < inDays(366.1)]).toEqual([true, true]);
    }
    expect(await create(app, { expiresAt: inDays(367) })).toBe(400);
    expect(await create(app, { expiresAt: inDays(300) })).toMatch(/Z$/);

    const unlimited = await startApp({ env: { API_TOKENS_WITHOUT_END: 'true' } });
    expect(await create(unlimited, {})).toBeNull();
    expect(await create(unlimited, { expiresAt: inDays(3_000) })).toMatch(/Z$/);
  });

  it('an API token is rejected after it has expired', async () => {
    const own = await startApp();
    const expiresAt = new Date(own.now().getTime() + 3_600_000).toISOString();
    const { body } = await own
      .as('owner')
      .post<{ data: TokenBody }>(TOKENS, { name: 'Short', scopes: ['*'], expiresAt });
    const client = own.with(body.data.token ?? '');
    expect((await client.get(ME)).status).toBe(200);
    own.travel({ hours: 1 });
    expect((await client.get(ME)).status).toBe(401);
    const list = async (active: boolean) =>
      (await own.as('owner').get<{ data: TokenBody[] }>(`${TOKENS}?active=${active}&limit=200`)).body.data.map(
        ({ id }) => id,
      );
    expect(await list(true)).not.toContain(body.data.id);
    expect(await list(false)).toContain(body.data.id);
  });

  it('an API token is revoked at once; a second revocation returns the same response', async () => {
    const { id, token } = await makeToken(owner, ['finance:read']);
    const first = await owner.delete<{ data: TokenBody }>(`${TOKENS}/${id}`);
    expect(first.status).toBe(200);
    expect(first.body.data.revokedAt).not.toBeNull();
    const second = await owner.delete(`${TOKENS}/${id}`);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect((await app.with(token).get(ME)).status).toBe(401);
    const actions = await app.sql<{ action: string }>(
      'select action from action_ledger_entries where subject_id = $1 order by sequence',
      [id],
    );
    expect(actions.map(({ action }) => action)).toEqual(['identity.api_token.create', 'identity.api_token.revoke']);
  });

  it('an API token cannot be found if it is a platform key: 404', async () => {
    const [row] = await app.sql<{ id: string }>(`select id from api_tokens where kind = 'platform' limit 1`);
    const { status, body, headers } = await owner.delete(`${TOKENS}/${row?.id}`);
    expect(status).toBe(404);
    expect(body).toEqual(errorBody(headers, 'not_found', { error: 'Not found' }));
  });

  it.each([
    { method: 'POST', path: TOKENS, scope: 'identity:write', body: { name: 'x', scopes: ['trips:read'] } },
    { method: 'GET', path: TOKENS, scope: 'identity:read' },
    { method: 'DELETE', path: `${TOKENS}/atok_01k0dem000e000000000000001`, scope: 'identity:delete' },
  ])('$method $path requires the scope $scope', async ({ method, path, scope, body }) => {
    const { token } = await makeToken(owner, ['trips:*']);
    const answer = await app.with(token).request(method, path, { body });
    expect(answer.status).toBe(403);
    const details = { requiredScope: scope };
    expect(answer.body).toEqual(
      errorBody(answer.headers, 'forbidden', { error: `Requires the scope ${scope}`, details }),
    );
    expect(answer.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
  });
});
