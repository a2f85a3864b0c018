/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { UNAUTHORIZED_TEXT } from '../setup/unauthorized.js';

const GEO = '/data/geo/v1/reference/languages';
const HOTELS = '/data/hotels/v1/reviewsite/reference/languages';
const UNAUTHORIZED = { code: 'UNAUTHORIZED', message: UNAUTHORIZED_TEXT.data };

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describe.each([GEO, HOTELS])('access to %s', (path) => {
  it('the data surface rejects an unknown key or a staff token with the same 401', async () => {
    const unknown = app.credentials.platformKey.replace(/_[0-9A-Za-z]{16}_/, '_0000000000000000_');
    const answers = await Promise.all([
      app.with(unknown).get(path),
      app.as('owner').get(path),
      app.with('x').get(path),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(answers.map(({ body }) => body)).toEqual([UNAUTHORIZED, UNAUTHORIZED, UNAUTHORIZED]);
    expect(answers[0]?.headers['www-authenticate']).toBe('Bearer realm="data", error="invalid_token"');
  });

  it('the data surface rejects a key in x-api-key or in the query with 401', async () => {
    const { platformKey } = app.credentials;
    const answers = await Promise.all([
      app.get(path, { headers: { 'x-api-key': platformKey } }),
      app.get(`${path}?access_token=${platformKey}`),
    ]);

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [401, UNAUTHORIZED],
      [401, UNAUTHORIZED],
    ]);
  });

  it('the data surface checks the credential before the query and the source', async () => {
    const answers = await Promise.all([
      app.get(`${path}?limit=0`),
      app.get('/data/hotels/v1/nowhere/reference/languages'),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });

  it('the data surface rejects another method with 405', async () => {
    const { status, body, headers } = await app.as('platform').post(path, {});

    expect(status).toBe(405);
    expect(body).toEqual({ code: 'METHOD_NOT_ALLOWED', message: expect.any(String) });
    expect(headers.allow).toBe('GET, HEAD');
  });
});

describe('scopes', () => {
  it('the scope data:geo:read permits the geo catalog but not the review languages: 403 with only code and message', async () => {
    const limited = app.as('limited');
    const [geo, hotels] = await Promise.all([limited.get(GEO), limited.get(HOTELS)]);

    expect(geo.status).toBe(200);
    expect(hotels.status).toBe(403);
    expect(hotels.body).toEqual({ code: 'FORBIDDEN', message: expect.stringContaining('data:hotels:read') });
    expect(hotels.headers['www-authenticate']).toContain('error="insufficient_scope", scope="data:hotels:read"');
  });

  it('scopes of the data surface are checked before the source, so a key without them cannot discover sources', async () => {
    const [known, unknown] = await Promise.all(
      ['reviewsite', 'nowhere'].map((name) => app.as('limited').get(`/data/hotels/v1/${name}/reference/languages`)),
    );

    expect(unknown?.status).toBe(403);
    expect(unknown?.body).toEqual(known?.body);
  });
});

describe('unknown paths of the data surface', () => {
  it.each(['/data/x', '/data/geo/v1/reference/currencies', '/data/hotels/v1/reference/languages'])(
    'the unknown path %s gets the 404 body of the data surface',
    async (path) => {
      const { status, body } = await app.as('platform').get(path);

      expect(status).toBe(404);
      expect(body).toEqual({ code: 'NOT_FOUND', message: 'No operation has this path' });
    },
  );
});
