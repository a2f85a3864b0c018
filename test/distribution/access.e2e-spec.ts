/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { tokenWith } from '../setup/staff-token.js';
import { CHANNELS, errorBody, unique } from './channels.js';
import { UNAUTHORIZED_TEXT } from '../setup/unauthorized.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

interface Route {
  method: string;
  path: string;
  body?: object;
  scope: string;
}

const ONE = `${CHANNELS}/chan_01k0dem000e000000000000002`;
const ROUTES: Route[] = [
  { method: 'GET', path: CHANNELS, scope: 'distribution:read' },
  { method: 'POST', path: CHANNELS, body: { name: 'Never created' }, scope: 'distribution:write' },
  { method: 'GET', path: ONE, scope: 'distribution:read' },
  { method: 'PATCH', path: ONE, body: { description: 'Never changed' }, scope: 'distribution:write' },
];

describe.each(ROUTES)('$method $path', ({ method, path, body, scope }) => {
  it('a distribution route is 401 without a staff credential', async () => {
    const answers = [
      await app.request(method, path, { body }),
      await app.as('platform').request(method, path, { body }),
      await app.with('nonsense').request(method, path, { body }),
    ];

    const unauthorized = { code: 'unauthorized', error: UNAUTHORIZED_TEXT.staff };
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([401, errorBody(answer, unauthorized)]);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="staff"/);
    }
  });

  it('a distribution route is 403 without its scope, before the body and the id are checked', async () => {
    const others = ['distribution:read', 'distribution:write', 'distribution:delete'].filter((name) => name !== scope);
    const caller = app.with(await tokenWith(app, [...others, 'legal:*', 'finance:*']));
    const malformed = path === CHANNELS ? path : `${CHANNELS}/chan_x`;

    const answers = [
      await caller.request(method, path, { body }),
      await caller.request(method, malformed, { body: body && {} }),
    ];

    const error = `Requires the scope ${scope}`;
    for (const answer of answers) {
      const forbidden = errorBody(answer, { code: 'forbidden', error, details: { requiredScope: scope } });
      expect([answer.status, answer.body]).toEqual([403, forbidden]);
      expect(answer.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    }
  });

  it.each([scope, 'distribution:*', '*'])('a distribution route passes with %s', async (granted) => {
    const caller = app.with(await tokenWith(app, [granted]));
    const sent = body && 'name' in body ? { name: unique('Made') } : body;

    expect((await caller.request(method, path, { body: sent })).status).toBeLessThan(300);
  });
});
