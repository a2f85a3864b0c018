import { beforeAll, describe, expect, it } from '@jest/globals';
import { lockChannels, until } from '../platform/locked-table.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';
import { guardedOperations, nameOf, pathWith, surfaceOf } from './calls.js';

const OFFICE = 'https://office.example.com';
const ME = '/v1/admin/identity/me';
const SESSIONS = '/v1/admin/identity/sessions';

/** In every response, for all callers and requests. */
const ALWAYS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};
const API_POLICY = "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'";

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { METRICS: 'true' } });
});

const raw = (text: string, type: string) => ({ raw: text, headers: { 'Content-Type': type } });

/** One response of each kind: of every surface, rejected at every stage, and of paths that are not part of the API. */
const ANSWERS: Record<string, () => Promise<Answer>> = {
  'a staff answer': () => app.as('owner').get(ME),
  'a staff 401': () => app.get(ME),
  'a staff 404': () => app.as('owner').get('/v1/admin/nothing'),
  'broken JSON': () => app.post(SESSIONS, undefined, raw('{', 'application/json')),
  'another content type': () => app.post(SESSIONS, undefined, raw('x', 'text/html')),
  'another method': () => app.as('owner').put(ME, {}),
  'a path that cannot be decoded': () => app.get('/v1/public/legal/contracts/%zz'),
  'a connect answer': () => app.as('platform').get('/connect/v1/connector-providers'),
  'a vault 400': () => app.as('platform').post('/vault/v1/primary/encrypt', {}),
  'a realtime answer': () => app.as('platform').get('/realtime/v1/channels/news/messages'),
  'a data 403': () => app.as('limited').get('/data/hotels/v1/reviewsite/reference/languages'),
  'an unknown path': () => app.get('/<script>alert(1)</script>'),
  OPTIONS: () => app.request('OPTIONS', ME),
  'the health': () => app.get('/health/live'),
  'the metrics': () => app.get('/metrics'),
  'the API document': () => app.get('/openapi.json'),
};

describe('the headers of every response', () => {
  it.each(Object.entries(ANSWERS))('every response has the headers that protect browsers: %s', async (_, send) => {
    const { headers } = await send();
    expect(headers).toMatchObject({ ...ALWAYS, 'content-security-policy': API_POLICY });
  });

  it.each(Object.entries(ANSWERS))('no response names the software of the server: %s', async (_, send) => {
    const { headers } = await send();
    expect([headers['x-powered-by'], headers['server'], headers['via']]).toEqual([undefined, undefined, undefined]);
  });

  it('every response with a body has its content type and character set', async () => {
    const typed = /^(application\/json|text\/plain); .*charset=utf-8/;
    for (const [name, send] of Object.entries(ANSWERS)) {
      const { headers, text } = await send();
      if (text !== '') expect([name, headers['content-type']]).toEqual([name, expect.stringMatching(typed)]);
    }
  });
});

describe('Swagger UI', () => {
  it('Swagger UI runs its own files only, and no page can frame it', async () => {
    const { status, headers, text } = await app.get('/docs');
    expect([status, text]).toEqual([200, expect.stringContaining('swagger-ui')]);
    expect((headers['content-security-policy'] ?? '').split(';').sort()).toEqual([
      "base-uri 'none'",
      "default-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "object-src 'none'",
    ]);
    expect(headers).toMatchObject(ALWAYS);
    expect(text).not.toMatch(/<style|style=|<script>| on[a-z]+=/);
    const start = await app.get('/');
    expect([start.status, start.headers['location']]).toEqual([302, '/docs']);
    expect([...text.matchAll(/(?:src|href)="(https?:)?\/\/[^"]+"/g)]).toEqual([]);
  });
});

describe('Scalar', () => {
  it('Scalar runs its own files and applies its own style sheets only, and no page can frame it', async () => {
    const { status, headers, text } = await app.get('/reference');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = (headers['content-security-policy'] ?? '').split(';').sort();
    expect(policy).toEqual([
      "base-uri 'none'",
      "default-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "object-src 'none'",
      "style-src-attr 'unsafe-inline'",
      expect.stringMatching(/^style-src-elem 'self'( 'sha256-[\w+/]{43}='){3}$/),
    ]);
    expect(headers).toMatchObject(ALWAYS);
    expect(text).not.toMatch(/<style|style=|<script>| on[a-z]+=|https?:/);
    const scripts = [...text.matchAll(/<script src="([^"]+)">/g)].map(([, path]) => String(path));
    expect(scripts).toEqual(['/reference/init.js', '/reference/scalar.js']);
    for (const path of scripts) {
      const script = await app.get(path);
      expect([script.status, script.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
      expect(script.headers).toMatchObject({ ...ALWAYS, 'cache-control': 'no-cache' });
      const { etag } = script.headers;
      expect((await app.get(path, { headers: { 'If-None-Match': String(etag) } })).status).toBe(304);
    }
  });
});

describe('the response to an authenticated request', () => {
  it('no response to an authenticated request is cached by default', async () => {
    for (const operation of await guardedOperations(app)) {
      const actor = surfaceOf(operation) === 'staff' ? 'owner' : 'platform';
      const body = operation.requestBody ? {} : undefined;
      const { headers, status } = await app.as(actor).request(operation.method, pathWith(operation), { body });
      // Reference data is the same for every caller: a browser may cache it, a proxy may not.
      const mayKeep = surfaceOf(operation) === 'data' && status === 200;
      const kept = mayKeep ? /^private, max-age=300$/ : /^(private, )?no-store$/;
      const name = nameOf(operation);
      expect([name, headers['cache-control']]).toEqual([name, expect.stringMatching(kept)]);
      expect([name, headers['vary']]).toEqual([name, expect.stringMatching(/Authorization/)]);
    }
  });
});

describe('a request from another origin', () => {
  const preflightHeaders = {
    Origin: OFFICE,
    'Access-Control-Request-Method': 'PATCH',
    'Access-Control-Request-Headers': 'authorization',
  };
  const corsOf = ({ headers }: Answer) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));

  it('a request from another origin is rejected unless CORS_ORIGINS contains the origin', async () => {
    const answers = [
      await app.request('OPTIONS', ME, { headers: preflightHeaders }),
      await app.as('owner').get(ME, { headers: { Origin: OFFICE } }),
      await app.get(ME, { headers: { Origin: 'null' } }),
    ];
    expect(answers.map(({ headers }) => headers['access-control-allow-origin'])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('a request from an origin of CORS_ORIGINS is allowed, with the headers that the office needs and without cookies', async () => {
    const own = await startApp({ env: { CORS_ORIGINS: `${OFFICE},https://other.example.com` } });
    const preflight = await own.request('OPTIONS', ME, { headers: preflightHeaders });
    expect([preflight.status, preflight.text]).toEqual([204, '']);
    const answersTell = expect.stringMatching(
      /^Content-Disposition,Deprecation,ETag,.*RateLimit,.*Retry-After,.*X-Request-Id,X-Total-Count$/,
    );
    expect(corsOf(preflight)).toEqual({
      'access-control-allow-origin': OFFICE,
      'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE',
      'access-control-allow-headers': expect.stringMatching(
        /^Authorization,.*Idempotency-Key,If-Match,.*traceparent,.*X-Request-Id$/,
      ),
      'access-control-expose-headers': answersTell,
      'access-control-max-age': '600',
    });
    expect(preflight.headers['vary']).toMatch(/Origin/);

    const toOffice = { 'access-control-allow-origin': OFFICE, 'access-control-expose-headers': answersTell };
    for (const client of [own.as('owner'), own]) {
      const answer = await client.get(ME, { headers: { Origin: OFFICE } });
      expect(corsOf(answer)).toEqual(toOffice);
    }
    // Otherwise a page could not read the reason of the rejection and the delay.
    const early = { raw: '{', headers: { Origin: OFFICE, 'Content-Type': 'application/json' } };
    const broken = await own.post(SESSIONS, undefined, early);
    const twice = await own.get(ME, { headers: { Origin: OFFICE, 'Idempotency-Key': ['12345678', '23456789'] } });
    expect([broken.status, twice.status]).toEqual([400, 400]);
    expect([corsOf(broken), corsOf(twice)]).toEqual([toOffice, toOffice]);
  });

  it('outside production pages of localhost are allowed at any port, and no others', async () => {
    const allowed = async (Origin: string) => {
      const answers = [
        await app.request('OPTIONS', ME, { headers: { ...preflightHeaders, Origin } }),
        await app.as('owner').get(ME, { headers: { Origin } }),
      ];
      return answers.map(({ headers }) => headers['access-control-allow-origin']);
    };
    for (const origin of ['http://localhost', 'http://localhost:5173']) {
      expect(await allowed(origin)).toEqual([origin, origin]);
    }
    for (const origin of ['https://localhost:5173', 'http://localhost.evil.test', 'http://127.0.0.1:5173']) {
      expect(await allowed(origin)).toEqual([undefined, undefined]);
    }
  });

  it('a request from an origin of CORS_ORIGINS can read the error of an overload', async () => {
    const own = await startApp({ env: { CORS_ORIGINS: OFFICE, MAX_IN_FLIGHT: '1', JOBS: 'false' } });
    const table = await lockChannels();
    const admitted = own.as('owner').get('/v1/admin/distribution/channels');
    await until(async () => (await table.waiting()) === 1);
    const [named, other] = await Promise.all(
      [OFFICE, 'https://evil.test'].map((Origin) => own.as('owner').get(ME, { headers: { Origin } })),
    );
    await table.release();
    expect([named?.status, other?.status, (await admitted).status]).toEqual([503, 503, 200]);
    expect(named && corsOf(named)).toEqual({
      'access-control-allow-origin': OFFICE,
      'access-control-expose-headers': expect.stringMatching(/Retry-After/),
    });
    expect(other && corsOf(other)).toEqual({});
  });

  it.each([
    'https://office.example.com.evil.test',
    'https://evil.test/?https://office.example.com',
    'http://office.example.com',
    'https://office.example.com:8443',
    'https://OFFICE.example.com',
    'null',
    '*',
  ])('a request from %s, which is not in CORS_ORIGINS, is not allowed', async (Origin) => {
    const own = await startApp({ env: { CORS_ORIGINS: OFFICE } });
    const answers = [
      await own.request('OPTIONS', ME, { headers: { ...preflightHeaders, Origin } }),
      await own.as('owner').get(ME, { headers: { Origin } }),
    ];
    for (const { headers } of answers) expect(headers['access-control-allow-origin']).toBeUndefined();
    await own.close();
  });
});

describe('TRACE', () => {
  it('TRACE is rejected, because it would show a script headers that it must not read', async () => {
    const { token } = app.credentials.staff;
    const answers = await Promise.all([ME, '/v1/admin/nothing'].map((path) => app.request('TRACE', path, { token })));
    // Like every method that the path does not support, or on an unknown path.
    expect(answers.map(({ status }) => status)).toEqual([405, 404]);
    expect(answers.filter(({ text }) => text.includes(token))).toEqual([]);
  });
});
