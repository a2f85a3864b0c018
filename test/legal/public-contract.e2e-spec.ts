import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { contractIn, CONTRACTS, declareVoid, draft, PUBLIC, type Status, tokenWith } from './contracts.js';

const TERMS = {
  title: 'Travel contract Dolomites',
  body: '<p>Seven days.</p>',
  language: 'it',
  recipientName: 'Clara Ionescu',
  recipientEmail: 'clara@example.com',
  metadata: { margin: 1200 },
};
const PRIVACY = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'info' } });
});

describe('the public contract', () => {
  it.each<Status>(['issued', 'sent', 'signed', 'executed', 'expired'])(
    'the public contract that is %s has exactly six members and no internal metadata',
    async (status) => {
      const { id, contractNumber } = await contractIn(app, status, TERMS);
      const answer = await app.get(`${PUBLIC}/${id}`);

      expect(answer.status).toBe(200);
      const { title, body, language } = TERMS;
      expect(answer.body).toEqual({ data: { id, title, status, contractNumber, body, language } });
      expect(answer.headers).toMatchObject(PRIVACY);
      expect(answer.headers.etag).toBeUndefined();
    },
  );

  it('a public contract that is a draft, unknown or malformed has the same 404 response', async () => {
    const { id } = await draft(app, TERMS);
    const ids = [
      id,
      'ctr_00000000000000000000000000',
      'ctr_',
      'x',
      `${id}x`,
      id.toUpperCase(),
      '%00',
      'a%2Fb',
      '%E2%80%A8',
    ];
    const answers = await Promise.all(ids.map((each) => app.get(`${PUBLIC}/${each}`)));

    for (const { status, body, headers } of answers) {
      expect(status).toBe(404);
      expect(body).toEqual({ error: 'Not found', code: 'not_found', requestId: headers['x-request-id'] });
      expect(headers).toMatchObject(PRIVACY);
    }
  });

  it('a contract id that cannot be decoded has the same 404 response as an unknown one', async () => {
    const { status, body, headers } = await app.get(`${PUBLIC}/%zz`);

    expect(status).toBe(404);
    expect(body).toEqual({ error: 'Not found', code: 'not_found', requestId: headers['x-request-id'] });
  });

  it('a void public contract is 410 contract_gone', async () => {
    const { id } = await contractIn(app, 'sent', TERMS);
    await declareVoid(app, id);
    const { status, body, headers } = await app.get(`${PUBLIC}/${id}`);

    expect(status).toBe(410);
    expect(body).toEqual({
      error: 'The contract is no longer valid',
      code: 'contract_gone',
      requestId: headers['x-request-id'],
    });
    expect(headers).toMatchObject(PRIVACY);
  });

  it('the public contract needs no credential and ignores an invalid one', async () => {
    const { id } = await contractIn(app, 'issued', TERMS);

    expect((await app.with('nonsense').get(`${PUBLIC}/${id}`)).status).toBe(200);
  });

  it('the public contract can only be read', async () => {
    const { id } = await contractIn(app, 'issued', TERMS);
    const answer = await app.post(`${PUBLIC}/${id}`, {});

    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
  });

  it.each([
    ['shown', 'sent', 'sent'],
    ['gone', 'void', 'void'],
    ['hidden', 'draft', null],
  ] as const)('each access to a public contract is logged: %s', async (_, status, told) => {
    const { id, reference } = await contractIn(app, status, TERMS);
    const { headers } = await app.get(`${PUBLIC}/${id}`);

    const lines = app.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
    const own = lines.filter(
      ({ msg, requestId }) => msg === 'public contract access' && requestId === headers['x-request-id'],
    );
    expect(own).toEqual([expect.objectContaining({ status: told, contract: told === null ? null : reference })]);
  });
});

describe('the rate limit of the public contract', () => {
  it('the rate limit of the public contract counts per address, also unknown ids, and returns 429 with the delay', async () => {
    const limited = await startApp({ env: { RATE_LIMIT_FACTOR: '0.04' } });
    const ids = [limited.credentials.demo.contractId, 'ctr_00000000000000000000000000', 'x'];
    const within = await Promise.all(ids.map((id) => limited.get(`${PUBLIC}/${id}`)));
    const { status, body, headers } = await limited.get(`${PUBLIC}/${ids[0]}`);

    expect(within.map((answer) => answer.status)).toEqual([200, 404, 404]);
    expect(within[0]?.headers['ratelimit-policy']).toBe('"public-contract";q=12;w=60');
    expect(status).toBe(429);
    expect(body).toEqual({
      error: 'Too many requests; wait before the next one',
      code: 'rate_limited',
      requestId: headers['x-request-id'],
      details: { limit: 12, retryAfterMs: expect.any(Number) },
    });
  });
});

describe('the scopes of the staff routes', () => {
  it('reading contracts requires legal:read, every other operation legal:write', async () => {
    const { id } = await draft(app);
    const path = `${CONTRACTS}/${id}`;
    const reader = app.with(await tokenWith(app, ['legal:read']));
    const writer = app.with(await tokenWith(app, ['legal:write']));
    const reads = [
      () => [reader, writer].map((client) => client.get(path)),
      () => [reader, writer].map((c) => c.get(CONTRACTS)),
    ];
    const writes = [
      [CONTRACTS, { title: 'x' }],
      [`${path}/issuance`, undefined],
      [`${path}/dispatch`, undefined],
      [`${path}/voiding`, { reason: 'x' }],
    ] as const;

    for (const readBoth of reads) {
      const [allowed, refused] = await Promise.all(readBoth());
      expect(allowed?.status).toBe(200);
      expect(refused?.body).toEqual(forbidden('legal:read', refused?.headers));
    }
    for (const answer of [
      ...(await Promise.all(writes.map(([route, body]) => reader.post(route, body)))),
      await reader.patch(path, { title: 'x' }),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual(forbidden('legal:write', answer.headers));
    }
    expect((await writer.post(`${path}/issuance`)).status).toBe(200);
  });
});

function forbidden(scope: string, headers: Record<string, string> = {}): object {
  return {
    error: `Requires the scope ${scope}`,
    code: 'forbidden',
    requestId: headers['x-request-id'],
    details: { requiredScope: scope },
  };
}
