import { describe, expect, it } from '@jest/globals';
import { tokenSource } from '../../clients/typescript/src/credentials.js';
import { retrying } from '../../clients/typescript/src/retries.js';

const URL_OF_SERVICE = 'https://service.example.com';

/** A client whose service gives these answers one after the other, and what it sent. */
function against(
  answers: (Response | Error)[],
  { retries = 4, tokens = ['first', 'second'] }: { retries?: number; tokens?: string[] | null } = {},
) {
  const sent: { authorization: string | null; key: string | null; body: string }[] = [];
  const waited: number[] = [];
  const send = retrying({
    token: tokens && (async ({ isRejected }) => tokens[isRejected ? 1 : 0] ?? ''),
    fetch: async (request) => {
      const { headers } = request;
      sent.push({
        authorization: headers.get('Authorization'),
        key: headers.get('Idempotency-Key'),
        body: await request.text(),
      });
      const answer = answers[sent.length - 1] ?? new Response('done');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    retries,
    wait: async (ms) => void waited.push(ms),
  });
  const call = (path: string, init: RequestInit = {}) => send(new Request(URL_OF_SERVICE + path, init));
  return { call, sent, waited };
}

const busy = (seconds?: number) =>
  new Response('', { status: 503, headers: seconds === undefined ? {} : { 'Retry-After': String(seconds) } });
const POST = { method: 'POST', body: '{"a":1}' };

describe('the typed client', () => {
  it('repeats a change with the same key and body while the service is busy or cannot be reached', async () => {
    const { call, sent } = against([busy(), new TypeError('fetch failed'), busy()]);
    const response = await call('/v1/admin/bookings', POST);
    expect(await response.text()).toBe('done');
    expect(sent).toHaveLength(4);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(sent[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent.map(({ body }) => body)).toEqual(Array(4).fill(POST.body));
  });

  it('keeps the key that the caller has chosen', async () => {
    const { call, sent } = against([]);
    await call('/connect/v1/operators', { ...POST, headers: { 'Idempotency-Key': 'chosen-key' } });
    expect(sent.map(({ key }) => key)).toEqual(['chosen-key']);
  });

  it('waits for as long as the service asks for, and otherwise longer each time', async () => {
    const { call, waited } = against([busy(3), busy(), busy()]);
    await call('/v1/admin/bookings');
    const [asked = 0, second = 0, third = 0] = waited;
    expect(asked).toBeGreaterThanOrEqual(3_000);
    expect(asked).toBeLessThan(3_301);
    expect(second).toBeGreaterThanOrEqual(250);
    expect(second).toBeLessThanOrEqual(500);
    expect(third).toBeGreaterThanOrEqual(500);
    expect(third).toBeLessThanOrEqual(1_000);
  });

  it('returns the last answer, or throws the last error, when its attempts are used up', async () => {
    const rejected = against([busy(), busy()], { retries: 1 });
    expect((await rejected.call('/v1/admin/bookings')).status).toBe(503);
    const lost = against([new TypeError('one'), new TypeError('two')], { retries: 1 });
    await expect(lost.call('/v1/admin/bookings')).rejects.toThrow('two');
    expect([rejected.sent.length, lost.sent.length]).toEqual([2, 2]);
  });

  it('does not repeat a change without a key whose fate is unknown', async () => {
    const { call, sent } = against([new TypeError('fetch failed')]);
    await expect(call('/vault/v1/demo/encrypt', POST)).rejects.toThrow('fetch failed');
    expect(sent.map(({ key }) => key)).toEqual([null]);
  });

  it('replaces a rejected token once', async () => {
    const { call, sent } = against([new Response('', { status: 401 }), new Response('', { status: 401 })]);
    expect((await call('/v1/admin/bookings', POST)).status).toBe(401);
    expect(sent.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second']);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  });

  it('can log in without a credential', async () => {
    const { call, sent } = against([new Response('', { status: 401 })], { tokens: null });
    expect((await call('/v1/admin/identity/sessions', POST)).status).toBe(401);
    expect(sent.map(({ authorization }) => authorization)).toEqual([null]);
  });

  it('sends no token to public operations', async () => {
    const { call, sent } = against([]);
    await call('/v1/public/catalog/search', POST);
    expect(sent.map(({ authorization }) => authorization)).toEqual([null]);
  });
});

describe('the access tokens of an OAuth client', () => {
  it('are requested once for requests of the same moment, and again after a rejection or a failure', async () => {
    let requests = 0;
    const failures = [false, false, true, false];
    const source = tokenSource(
      { clientId: 'occ_a', clientSecret: 'ocs_b', scope: 'connect:bookings:read' },
      {
        baseUrl: URL_OF_SERVICE,
        fetch: async (request) => {
          expect(await request.text()).toBe(
            'grant_type=client_credentials&client_id=occ_a&client_secret=ocs_b&scope=connect%3Abookings%3Aread',
          );
          if (failures[requests++]) return new Response('', { status: 503 });
          return Response.json({ access_token: `token ${requests}`, expires_in: 3600 });
        },
      },
    );
    const current = () => source({ isRejected: false });
    expect(await Promise.all([current(), current()])).toEqual(['token 1', 'token 1']);
    expect(await source({ isRejected: true })).toBe('token 2');
    await expect(source({ isRejected: true })).rejects.toThrow('503');
    expect(await current()).toBe('token 4');
  });

  it('are replaced a minute before their end', async () => {
    let requests = 0;
    const fetch = async () => Response.json({ access_token: `token ${(requests += 1)}`, expires_in: 60 });
    const source = tokenSource({ clientId: 'occ_a', clientSecret: 'ocs_b' }, { baseUrl: URL_OF_SERVICE, fetch });
    expect([await source({ isRejected: false }), await source({ isRejected: false })]).toEqual(['token 1', 'token 2']);
  });
});
