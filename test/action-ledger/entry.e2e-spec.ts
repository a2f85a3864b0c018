/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { tokenWith } from '../setup/staff-token.js';
import { CHANNELS, channelWithEntries, ENTRIES, type Entry, invalid, page, unique } from './ledger.js';
import { UNAUTHORIZED_TEXT } from '../setup/unauthorized.js';

type Detail = Entry & { before: object | null; after: object | null; failure: string | null };

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const ABSENT = 'aled_01k0dem000e000000000099999';

describe('one entry', () => {
  it('an entry shows the subject before and after the change', async () => {
    const subjectId = await channelWithEntries(app, 2);
    const [update, create] = (await page(app, { subjectId })).data;

    const created = await app.as('owner').get<{ data: Detail }>(`${ENTRIES}/${create?.id}`);
    const updated = await app.as('owner').get<{ data: Detail }>(`${ENTRIES}/${update?.id}`);

    expect(created.body).toEqual({
      data: {
        ...create,
        before: null,
        after: expect.any(Object),
        missingScope: null,
        irreversible: null,
        failure: null,
      },
    });
    const after = { ...created.body.data.after, description: 'Change 2', version: 2, updatedAt: expect.any(String) };
    // Only the payload that a reversal restores contains the contact.
    const before = { ...created.body.data.after, contactName: null, contactEmail: null };
    expect(updated.body).toEqual({
      data: { ...update, before, after, missingScope: null, irreversible: null, failure: null },
    });
  });

  it('an entry names the user of a session or the key of an API token as its actor, regardless of the body', async () => {
    const forged = await app.as('owner').post(CHANNELS, { name: unique('Forged'), actorId: 'user_somebody' });
    expect(forged.status).toBe(400);
    const issue = { path: 'actorId', message: 'actorId is not recognized', code: 'unknown_member' };
    expect(forged.body).toEqual(invalid(forged, [issue]));

    const { email, password } = app.credentials.staff;
    const login = await app.post<{ data: { token: string; user: { id: string } } }>('/v1/admin/identity/sessions', {
      email,
      password,
    });
    const { token, user } = login.body.data;
    const answer = await app.with(token).post<{ data: { id: string } }>(CHANNELS, { name: unique('By a person') });

    const [entry] = (await page(app, { subjectId: answer.body.data.id })).data;
    expect(entry).toMatchObject({ actorType: 'user', actorId: user.id });
  });

  it('an unknown and a malformed entry id are the same 404', async () => {
    for (const id of [ABSENT, 'aled_x', 'chan_01k0dem000e000000000000001', '..%2F..', `${ABSENT}0`, '%00']) {
      const { status, body, headers } = await app.as('owner').get(`${ENTRIES}/${id}`);
      expect([status, body]).toEqual([
        404,
        { error: 'Not found', code: 'not_found', requestId: headers['x-request-id'] },
      ]);
    }
  });
});

describe('access to the ledger', () => {
  const PATHS = [ENTRIES, `${ENTRIES}/${ABSENT}`];

  it.each(PATHS)('%s without a credential, or with one of another surface, is 401', async (path) => {
    const none = await app.get(path);
    const foreign = await app.as('platform').get(path);

    const unauthorized = (requestId: string | undefined) => ({
      error: UNAUTHORIZED_TEXT.staff,
      code: 'unauthorized',
      requestId,
    });
    expect([none.status, none.body]).toEqual([401, unauthorized(none.headers['x-request-id'])]);
    expect([foreign.status, foreign.body]).toEqual([401, unauthorized(foreign.headers['x-request-id'])]);
    expect(none.headers['www-authenticate']).toBe('Bearer realm="staff"');
    expect(foreign.headers['www-authenticate']).toBe('Bearer realm="staff", error="invalid_token"');
  });

  it.each(PATHS)('%s without action-ledger:read is 403 with the required scope', async (path) => {
    const token = await tokenWith(app, ['distribution:*', 'action-ledger:reverse']);

    const { status, body, headers } = await app.with(token).get(path);

    expect(status).toBe(403);
    expect(body).toEqual({
      error: 'Requires the scope action-ledger:read',
      code: 'forbidden',
      requestId: headers['x-request-id'],
      details: { requiredScope: 'action-ledger:read' },
    });
  });

  it.each([['action-ledger:read'], ['action-ledger:*']])(
    'the scope %s is sufficient to read the ledger',
    async (scope) => {
      const token = await tokenWith(app, [scope]);

      expect((await app.with(token).get(`${ENTRIES}?limit=1`)).status).toBe(200);
      expect((await app.with(token).get(`${ENTRIES}/${ABSENT}`)).status).toBe(404);
    },
  );

  it.each(['POST', 'PATCH', 'PUT', 'DELETE'])('%s of a ledger entry is rejected with 405', async (method) => {
    const [entry] = (await page(app, { limit: 1 })).data;

    const { status, body, headers } = await app.as('owner').request(method, `${ENTRIES}/${entry?.id}`, { body: {} });

    expect(status).toBe(405);
    expect(headers['allow']).toBe('GET, HEAD');
    expect(body).toEqual({
      error: 'Method not allowed; use GET, HEAD',
      code: 'method_not_allowed',
      requestId: headers['x-request-id'],
    });
  });
});
