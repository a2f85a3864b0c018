import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import { hire, makeToken, ME, TOKENS, unauthorizedBody, usedSince } from './staff.js';
import { UNAUTHORIZED_TEXT } from '../setup/unauthorized.js';

let app: TestApp;
let good: string;

beforeAll(async () => {
  app = await startApp();
  good = app.credentials.staff.token;
});

const CHALLENGE = 'Bearer realm="staff", error="invalid_token"';

/** Values of Authorization that an attacker or a faulty client sends. */
const BAD: Record<string, () => string> = {
  'no scheme': () => good,
  'another scheme': () => `Basic ${Buffer.from('owner:secret').toString('base64')}`,
  'the scheme alone': () => 'Bearer',
  'an empty token': () => 'Bearer ',
  'two tokens': () => `Bearer ${good} ${good}`,
  'two headers in one': () => `Bearer ${good}, Bearer ${good}`,
  'a word': () => 'Bearer secret',
  'a JSON web token': () => 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.',
  'a truncated token': () => `Bearer ${good.slice(0, -1)}`,
  'an extended token': () => `Bearer ${good}x`,
  'a changed secret': () => `Bearer ${good.slice(0, -10)}${good.at(-10) === 'a' ? 'b' : 'a'}${good.slice(-9)}`,
  'another secret of the right form': () => `Bearer ${good.slice(0, 21)}${newCredential('vsk').token.slice(21)}`,
  'an unknown id': () => `Bearer ${newCredential('vsk').token}`,
  'an unknown session': () => `Bearer ${newCredential('vss').token}`,
  'a platform key': () => `Bearer ${app.credentials.platformKey}`,
  'the same id as another kind': () => `Bearer vss${good.slice(3)}`,
  'upper case': () => `Bearer ${good.toUpperCase()}`,
  'a percent sign': () => `Bearer ${good.replace('_', '%5F')}`,
  bytes: () =>
    `Bearer ${randomBytes(64)
      .toString('latin1')
      .replace(/[^\x21-\x7e\xa0-\xff]/g, '.')}`,
  'four kilobytes': () => `Bearer ${'a'.repeat(4096)}`,
};

describe('a staff route', () => {
  it.each(Object.keys(BAD))('a staff route rejects %s with the same 401', async (shape) => {
    const { status, body, headers } = await app.get(ME, { headers: { Authorization: BAD[shape]?.() ?? '' } });
    expect(status).toBe(401);
    expect(body).toEqual(unauthorizedBody(headers));
    expect(headers['www-authenticate']).toBe(CHALLENGE);
    expect(headers['cache-control']).toBe('private, no-store');
  });

  it('a staff route rejects a request without a credential with the same 401, whose challenge has no error', async () => {
    const { status, body, headers } = await app.get(ME);
    expect(status).toBe(401);
    expect(body).toEqual(unauthorizedBody(headers));
    expect(headers['www-authenticate']).toBe('Bearer realm="staff"');
  });

  it('a staff route accepts the token in x-api-key', async () => {
    const { status } = await app.get(ME, { headers: { 'x-api-key': good } });
    expect(status).toBe(200);
  });

  it('a staff route rejects a valid x-api-key beside a wrong Authorization', async () => {
    const { status, body, headers } = await app.get(ME, {
      headers: { 'x-api-key': good, Authorization: `Bearer ${newCredential('vsk').token}` },
    });
    expect(status).toBe(401);
    expect(body).toEqual(unauthorizedBody(headers));
  });

  it('a staff route accepts a valid Authorization beside a wrong x-api-key', async () => {
    const { status } = await app.get(ME, { headers: { 'x-api-key': 'wrong', Authorization: `Bearer ${good}` } });
    expect(status).toBe(200);
  });

  it('a staff route accepts no token in the query', async () => {
    const { status } = await app.get(`${ME}?access_token=${good}`);
    expect(status).toBe(401);
  });

  it('a staff route accepts no token in the query beside a wrong one in the header, and a good one in the header decides', async () => {
    const url = `${ME}?access_token=${newCredential('vsk').token}`;
    expect((await app.with(newCredential('vsk').token).get(`${ME}?access_token=${good}`)).status).toBe(401);
    expect((await app.with(good).get(url)).status).toBe(400);
  });

  it.each([
    ['a small body', 'x'],
    ['a body that is read after the credential', 'x'.repeat(70_000)],
  ])('a staff route accepts no token in %s', async (_, name) => {
    const { status } = await app.post(TOKENS, { access_token: good, name, scopes: ['*'] });
    expect(status).toBe(401);
  });
});

describe('a platform route', () => {
  it('a platform route of connect rejects a staff token with the 401 of its surface', async () => {
    const { status, body, headers } = await app.with(good).get('/connect/v1/connector-providers');
    expect(status).toBe(401);
    expect(body).toEqual({ ...unauthorizedBody(headers), error: UNAUTHORIZED_TEXT.connect });
    expect(headers['www-authenticate']).toBe('Bearer realm="connect", error="invalid_token"');
  });

  it('a platform route of data rejects a staff token with the 401 of its surface', async () => {
    const { status, body, headers } = await app.with(good).get('/data/geo/v1/reference/languages');
    expect(status).toBe(401);
    expect(body).toEqual({ code: 'UNAUTHORIZED', message: UNAUTHORIZED_TEXT.data });
    expect(headers['www-authenticate']).toBe('Bearer realm="data", error="invalid_token"');
  });

  it('a platform route accepts no key in x-api-key', async () => {
    const { status } = await app.get('/data/geo/v1/reference/languages', {
      headers: { 'x-api-key': app.credentials.platformKey },
    });
    expect(status).toBe(401);
  });

  it('a platform route accepts a key whose scopes cover the route, and rejects another one with 403', async () => {
    const path = '/data/hotels/v1/reviewsite/reference/languages';
    expect((await app.as('platform').get(path)).status).toBe(200);
    const { status, body, headers } = await app.as('limited').get(path);
    expect(status).toBe(403);
    expect(body).toEqual({ code: 'FORBIDDEN', message: 'Requires the scope data:hotels:read' });
    expect(headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="data:hotels:read"');
  });
});

describe('a credential', () => {
  it('a credential is verified by the application that receives it, also if others in the process were started later', async () => {
    const later = await startApp();
    later.travel({ days: 2 });
    const expiresAt = new Date(app.now().getTime() + 86_400_000).toISOString();
    const made = async () => {
      const body = { name: 'Ends in a day', scopes: ['identity:read'], expiresAt };
      return (await app.as('owner').post<{ data: { token: string } }>(TOKENS, body)).body.data.token;
    };
    const tokens = await Promise.all([made(), made(), made()]);
    const statuses = await Promise.all(
      tokens.flatMap((token) => [app, later].map(async (one) => (await one.with(token).get(ME)).status)),
    );
    expect(statuses).toEqual([200, 401, 200, 401, 200, 401]);
    await later.close();
    expect((await app.with(await made()).get(ME)).status).toBe(200);
  });

  it('a credential is rejected from the next request after its revocation, and within a second by another process', async () => {
    const other = await startApp();
    const { id, token } = await makeToken(app.as('owner'), ['identity:read']);
    expect((await app.with(token).get(ME)).status).toBe(200);
    expect((await other.with(token).get(ME)).status).toBe(200);
    await app.as('owner').delete(`${TOKENS}/${id}`);
    expect((await app.with(token).get(ME)).status).toBe(401);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await other.with(token).get(ME)).status).toBe(401);
  });

  it('a credential never exceeds the current roles of its user', async () => {
    const member = await hire(app, ['owner']);
    const { token } = await makeToken(member.client, ['finance:*', 'identity:read']);
    const scopes = async () => (await app.with(token).get<{ data: { scopes: string[] } }>(ME)).body.data.scopes;
    expect(await scopes()).toEqual(['finance:*', 'identity:read']);
    await app.as('owner').patch(`/v1/admin/identity/users/${member.user.id}`, { roles: ['viewer'] });
    expect(await scopes()).toEqual(['finance:read']);
  });

  it('a credential is stored as a hash, and its last use is written after the response', async () => {
    const { id, token } = await makeToken(app.as('owner'), ['identity:read']);
    const used = app.now();
    await app.with(token).get(ME);
    await usedSince(app, 'api_tokens', used);
    const [row] = await app.sql('select * from api_tokens where id = $1', [id]);
    expect(JSON.stringify(row)).not.toContain(token.slice(21));
    expect(row?.['secret_hash']).toHaveLength(32);
    expect(row?.['last_used_at']).not.toBeNull();
  });

  it('the last use is written at most once a minute, also after the system time was set back', async () => {
    const { id, token } = await makeToken(app.as('owner'), ['identity:read']);
    const lastUse = async () => {
      const [row] = await app.sql<{ at: Date | null }>('select last_used_at as at from api_tokens where id = $1', [id]);
      return row?.at?.getTime() ?? 0;
    };
    const first = app.now();
    await app.with(token).get(ME);
    await usedSince(app, 'api_tokens', first);
    const stored = await lastUse();

    const systemTime = jest
      .spyOn(Date, 'now')
      .mockImplementation(() => performance.timeOrigin + performance.now() - 3_600_000);
    try {
      app.travel({ ms: 30_000 });
      await app.with(token).get(ME);
      app.travel({ ms: 31_000 });
      const used = app.now();
      await app.with(token).get(ME);
      await eventually(async () => ((await lastUse()) < stored ? true : null));
      expect(await lastUse()).toBeGreaterThanOrEqual(used.getTime());
    } finally {
      systemTime.mockRestore();
    }
  });
});
