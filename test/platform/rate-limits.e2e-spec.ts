import { describe, expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';

/** A tenth of the real limits: data has a burst of 15 and 60 a minute, staff 75 and 300. */
const env = { RATE_LIMIT_FACTOR: '0.1' };
const LANGUAGES = '/data/geo/v1/reference/languages?limit=1';

describe('rate limits', () => {
  it('rate limits are stated in every authenticated response', async () => {
    const app = await startApp({ env });
    const { headers } = await app.as('platform').get(LANGUAGES);
    expect(headers['ratelimit-policy']).toBe('"data";q=60;w=60');
    expect(headers['ratelimit']).toMatch(/^"data";r=14;t=\d+$/);
  });

  it('a request above the rate limit is 429 in the body of the surface, and succeeds after exactly retryAfterMs', async () => {
    const app = await startApp({ env });
    const partner = app.as('limited');
    expect((await partner.get(LANGUAGES)).status).toBe(200);
    // A clock that runs backwards refills nothing, however long the requests take.
    app.travel({ hours: -1 });
    const burst = await Promise.all(Array.from({ length: 14 }, () => partner.get(LANGUAGES)));
    expect(burst.map(({ status }) => status)).toEqual(Array.from({ length: 14 }, () => 200));

    const rejected = await partner.get<{ retryAfterMs: number }>(LANGUAGES);
    expect(rejected.status).toBe(429);
    expect(rejected.body).toEqual({
      code: 'RATE_LIMITED',
      message: 'Too many requests; wait before the next one',
      retryAfterMs: expect.any(Number),
    });
    const { retryAfterMs } = rejected.body;
    expect(Number.isInteger(retryAfterMs) && retryAfterMs >= 1).toBe(true);
    expect(rejected.headers['retry-after']).toBe(String(Math.ceil(retryAfterMs / 1000)));

    app.travel({ hours: 1, ms: retryAfterMs });
    expect((await partner.get(LANGUAGES)).status).toBe(200);
  });

  it('rate limits count each credential separately', async () => {
    const app = await startApp({ env });
    const statuses = async (actor: 'limited' | 'platform') => {
      await app.as(actor).get(LANGUAGES);
      app.travel({ hours: -1 });
      return (await Promise.all(Array.from({ length: 15 }, () => app.as(actor).get(LANGUAGES)))).map(
        ({ status }) => status,
      );
    };
    expect((await statuses('limited')).filter((status) => status === 429)).toHaveLength(1);
    expect((await statuses('platform')).filter((status) => status === 429)).toHaveLength(1);
  });

  it('the rate limit error of the staff surface has the delay in details', async () => {
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '0.002' } });
    const staff = app.as('owner');
    await staff.get('/v1/admin/distribution/channels');
    const { status, body, headers } = await staff.get('/v1/admin/distribution/channels');
    expect(status).toBe(429);
    expect(body).toEqual({
      error: 'Too many requests; wait before the next one',
      code: 'rate_limited',
      requestId: headers['x-request-id'],
      details: { limit: 6, retryAfterMs: expect.any(Number) },
    });
  });

  it('guesses of client secrets are limited: ten failures, then 429, for that client and address only', async () => {
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '1' } });
    const guess = (clientId: string) =>
      app.post<{ error: string }>('/connect/v1/oauth/token', {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: 'ocs_guess',
      });
    const answers = await Promise.all(Array.from({ length: 14 }, () => guess('occ_guessed')));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(401), count(429)]).toEqual([10, 4]);
    expect(answers.find(({ status }) => status === 429)?.body.error).toBe('temporarily_unavailable');
    expect((await guess('occ_other')).status).toBe(401);
  });

  it('searches are limited for each visitor behind a trusted page server, by the address that it forwards', async () => {
    const pageServer = '203.0.113.5';
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '0.01', TRUSTED_PROXIES: `127.0.0.1,::1,${pageServer}` } });
    const search = async (forwarded: string) => {
      const call = { headers: { 'X-Forwarded-For': forwarded } };
      return (await app.post('/v1/public/catalog/search', { vertical: 'products', query: 'tour' }, call)).status;
    };
    const one = [];
    for (let n = 0; n < 5; n += 1) one.push(await search(`198.51.100.1, ${pageServer}`));
    expect(one).toContain(429);
    expect(await search(`198.51.100.2, ${pageServer}`)).not.toBe(429);
    // An address forwarded by an untrusted server does not count.
    const forged = [];
    for (let n = 0; n < 5; n += 1) forged.push(await search(`198.51.100.${n + 10}, 192.0.2.200`));
    expect(forged).toContain(429);
  });

  it('an address is limited before its credential is verified', async () => {
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '0.01' } });
    const answers = await Promise.all(Array.from({ length: 40 }, () => app.get('/v1/public/nothing')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]));
    expect((await app.get('/health/live')).status).toBe(200);
  });
});
