import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { hire, ME, errorBody, TOKENS, USERS } from './staff.js';

interface Token {
  id: string;
  token: string;
  expiresAt: string | null;
}

const LATER = 'expiresAt must not be later than the end of the credential that creates this one';
const SCOPES = ['identity:write', 'finance:read'];

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const inHours = (hours: number) => new Date(app.now().getTime() + hours * 3_600_000).toISOString();
const ask = (client: TestClient, values: object = {}) =>
  client.post<{ data: Token }>(TOKENS, { name: 'Derived', scopes: SCOPES, ...values });

async function create(client: TestClient, values: object = {}): Promise<Token> {
  const { status, body, text } = await ask(client, values);
  if (status !== 201) throw new Error(`The token was not created: ${text}`);
  return body.data;
}

/** A chain of tokens, each created with the one before. */
async function chain(length: number): Promise<Token[]> {
  const tokens = [await create(owner)];
  while (tokens.length < length) tokens.push(await create(app.with(tokens.at(-1)?.token ?? '')));
  return tokens;
}

const statusesOf = (node: TestApp, tokens: Token[]) =>
  Promise.all(tokens.map(async ({ token }) => (await node.with(token).get(ME)).status));

describe('a token that is created with an expiring token', () => {
  it('a token that is created with an expiring token ends no later: a later end is 400, and without an end it ends with its parent', async () => {
    const expiresAt = inHours(1);
    const parent = app.with((await create(owner, { expiresAt })).token);

    const later = await ask(parent, { expiresAt: inHours(2) });
    const details = {
      issues: [{ path: 'expiresAt', message: LATER, code: 'after_parent_end' }],
      fields: { expiresAt: [LATER] },
    };
    expect([later.status, later.body]).toEqual([
      400,
      errorBody(later.headers, 'invalid_request', { error: 'The request is invalid', details }),
    ]);
    expect((await create(parent)).expiresAt).toBe(expiresAt);
    expect((await create(parent, { expiresAt: null })).expiresAt).toBe(expiresAt);
    expect((await create(parent, { expiresAt })).expiresAt).toBe(expiresAt);
    const sooner = inHours(0.5);
    const child = await create(parent, { expiresAt: sooner });
    expect(child.expiresAt).toBe(sooner);
    expect((await ask(app.with(child.token), { expiresAt })).status).toBe(400);
    expect((await create(app.with(child.token))).expiresAt).toBe(sooner);
  });

  it('a token that is created with a session outlives the session that creates it, and ends after a year', async () => {
    const { client } = await hire(app, ['owner']);
    const { expiresAt } = await create(client);
    const year = 366 * 24;
    expect([inHours(year - 1) < String(expiresAt), String(expiresAt) <= inHours(year)]).toEqual([true, true]);
  });
});

describe('revoking a token', () => {
  it('revokes all that were created with it, at every depth and on all processes, and no others', async () => {
    const other = await startApp();
    const tokens = await chain(4);
    const [root, child] = tokens;
    const sibling = await create(app.with(root?.token ?? ''));
    const unrelated = await create(owner);
    expect(await statusesOf(other, [...tokens, sibling, unrelated])).toEqual([200, 200, 200, 200, 200, 200]);

    await owner.delete(`${TOKENS}/${child?.id}`);
    expect(await statusesOf(app, [...tokens, sibling])).toEqual([200, 401, 401, 401, 200]);
    await owner.delete(`${TOKENS}/${root?.id}`);
    expect(await statusesOf(app, [...tokens, sibling, unrelated])).toEqual([401, 401, 401, 401, 401, 200]);
    await eventually(async () => ((await statusesOf(other, [...tokens, sibling])).includes(200) ? null : true));
    expect(await statusesOf(other, [unrelated])).toEqual([200]);

    const entries = await app.sql<{ subject_id: string }>(
      `select subject_id from action_ledger_entries
       where action = 'identity.api_token.revoke' and subject_id = any ($1)`,
      [tokens.map(({ id }) => id)],
    );
    expect(entries.map(({ subject_id: id }) => id).sort()).toEqual(tokens.map(({ id }) => id).sort());
  });

  it('revoking a token leaves no token that was created at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [root, child] = await chain(2);
      const parents = [root, child].map((token) => app.with(token?.token ?? ''));
      const creations = Array.from({ length: 8 }, (_, n) => ask(parents[n % 2] ?? app));
      const [answers] = await Promise.all([Promise.all(creations), owner.delete(`${TOKENS}/${root?.id}`)]);

      expect(answers.filter(({ status }) => status !== 201 && status !== 401)).toEqual([]);
      const created = answers.flatMap(({ status, body }) => (status === 201 ? [body.data] : []));
      expect(await statusesOf(app, created)).toEqual(created.map(() => 401));
    }
  });

  it('revoking a token is part of disabling the user, for tokens of every depth', async () => {
    const { client, user } = await hire(app, ['owner']);
    const first = await create(client);
    const tokens = [first, await create(app.with(first.token))];
    await owner.patch(`${USERS}/${user.id}`, { active: false });
    expect(await statusesOf(app, tokens)).toEqual([401, 401]);
  });
});
