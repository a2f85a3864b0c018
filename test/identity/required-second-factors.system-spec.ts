import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { itemBody } from '../bookings/bookings.js';
import { body as supplierInvoice, PATH as SUPPLIER_INVOICES } from '../finance/invoices.js';
import { callInVain, fewAtATime, guardedOperations, nameOf, surfaceOf } from '../security/calls.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';
import {
  challengeOf,
  codeNow,
  continueLogin,
  hireProtected,
  nextCode,
  protect,
  REAUTHENTICATION,
  wrongCode,
} from './second-factor.js';
import { forgetFailures, hire, INVITATIONS, makeToken, ME, SESSIONS, TOKENS, uniqueEmail, USERS } from './staff.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { REQUIRE_MFA: 'true' } });
});
beforeEach(() => forgetFailures(app));

const MINUTE_MS = 60_000;
const CURRENT = `${SESSIONS}/current`;
const FINANCE = '/v1/admin/finance';
/** The scopes that need a second factor, repeated independently. */
const SENSITIVE = [
  ...['finance:approve', 'finance:void', 'finance:numbering', 'finance:close', 'finance:refund'],
  ...[
    'bookings:override',
    'customers:sensitive',
    'customers:privacy',
    'action-ledger:reverse',
    'identity:write',
    'identity:delete',
    'organization:write',
  ],
];
/** They need `finance:write` only. */
const REFUNDS = [
  `POST ${FINANCE}/bookings/{bookingId}/cancellation-settlement`,
  `POST ${FINANCE}/bookings/{bookingId}/refunds`,
  `POST ${FINANCE}/refunds/{id}/failure`,
];
const NAMED = [
  `DELETE ${TOKENS}/{id}`,
  `PATCH /v1/admin/organization/profile`,
  `POST ${FINANCE}/periods/{period}/closing`,
  `POST ${FINANCE}/periods/{period}/reopening`,
  `POST ${FINANCE}/invoice-number-series`,
  `PATCH ${FINANCE}/invoice-number-series/{id}`,
  `POST ${FINANCE}/refunds/{id}/completion`,
  `POST /v1/admin/action-ledger/entries/{id}/reversals`,
];
const invitation = () => ({ email: uniqueEmail(), name: 'New Colleague', roles: ['viewer'] });

describe('with REQUIRE_MFA=true', () => {
  it('a session without a second factor can set one up and do nothing else that needs a scope', async () => {
    const member = await hire(app, ['owner']);
    for (const path of [USERS, TOKENS, '/v1/admin/bookings', '/v1/admin/finance/invoices']) {
      const { status, body } = await member.client.get<{ code: string }>(path);
      expect([status, body.code]).toEqual([403, 'second_factor_setup_required']);
    }
    const created = await member.client.post<{ code: string }>(TOKENS, { name: 'A way around', scopes: ['*'] });
    expect([created.status, created.body.code]).toEqual([403, 'second_factor_setup_required']);
    const own = await member.client.get<{ data: { scopes: string[] } }>(ME);
    expect(own.body.data.scopes).toEqual([]);
    await protect(app, member);
    expect((await member.client.get(USERS)).status).toBe(200);
    expect((await member.client.post(INVITATIONS, invitation())).status).toBe(201);
  });

  it('a session needs a proof of the last 15 minutes to change accounts, and none to read', async () => {
    const { client, secret } = await hireProtected(app, ['owner']);
    app.travel({ ms: 15 * MINUTE_MS - 5_000 });
    expect((await client.post(INVITATIONS, invitation())).status).toBe(201);
    app.travel({ ms: 5_000 });
    const { status, body } = await client.post<{ code: string }>(INVITATIONS, invitation());
    expect([status, body.code]).toEqual([403, 'reauthentication_required']);
    expect((await client.get(USERS)).status).toBe(200);

    const wrong = await client.post<{ code: string }>(REAUTHENTICATION, { code: wrongCode(app, secret) });
    expect([wrong.status, wrong.body.code]).toEqual([422, 'second_factor_code_wrong']);
    expect((await client.post(INVITATIONS, invitation())).status).toBe(403);
    const proved = await client.post<{ data: { secondFactorAt: string } }>(REAUTHENTICATION, {
      code: codeNow(app, secret),
    });
    expect(proved.status).toBe(200);
    expect(Math.abs(Date.parse(proved.body.data.secondFactorAt) - app.now().getTime())).toBeLessThan(MINUTE_MS);
    expect((await client.post(INVITATIONS, invitation())).status).toBe(201);
  });

  it('a session needs a recent proof for every change under a special or sensitive scope and of a refund, and for no other', async () => {
    const { client } = await hireProtected(app, ['owner']);
    const operations = (await guardedOperations(app)).filter((operation) => surfaceOf(operation) === 'staff');
    const rejected = async () => {
      const calls = operations.map((operation) => async () => {
        const answer = (await callInVain(client, operation)) as Answer<{ code?: string }>;
        return answer.body?.code === 'reauthentication_required' ? [nameOf(operation)] : [];
      });
      return (await fewAtATime(calls.filter((_, index) => operations[index]?.path !== CURRENT))).flat().sort();
    };
    expect(await rejected()).toEqual([]);
    app.travel({ ms: 16 * MINUTE_MS });
    const sensitive = operations.filter(
      ({ method, 'x-required-scope': scope = '' }) => method !== 'GET' && SENSITIVE.includes(scope),
    );
    const expected = [...sensitive.map(nameOf), ...REFUNDS];
    expect(expected).toEqual(expect.arrayContaining(NAMED));
    expect(await rejected()).toEqual(expected.sort());
  });

  it('a session needs a recent proof for a scope that the content of a request requires', async () => {
    const { client } = await hireProtected(app, ['owner']);
    app.travel({ ms: 16 * MINUTE_MS });
    const item = itemBody({ override: ['cutoff'], overrideReason: 'The guest is at the door' });
    const answers = [
      await client.post<{ code: string }>('/v1/admin/bookings/book_01k0dem000e000000000000001/items', item),
      await client.post<{ code: string }>(SUPPLIER_INVOICES, supplierInvoice({ status: 'approved' })),
    ];
    for (const { status, body } of answers) expect([status, body.code]).toEqual([403, 'reauthentication_required']);
    expect((await client.post(SUPPLIER_INVOICES, supplierInvoice())).status).toBe(201);
  });

  it('a session of another user cannot be ended with an old proof', async () => {
    const { client } = await hireProtected(app, ['owner']);
    const other = await hire(app, ['viewer']);
    const { body } = await client.get<{ data: { id: string }[] }>(`${SESSIONS}?userId=${other.user.id}`);
    app.travel({ ms: 16 * MINUTE_MS });
    const { status, body: rejected } = await client.delete<{ code: string }>(`${SESSIONS}/${body.data[0]?.id}`);
    expect([status, rejected.code]).toEqual([403, 'reauthentication_required']);
  });

  it('one session proves the second factor for itself only', async () => {
    const member = await hireProtected(app, ['owner']);
    const challengeId = await challengeOf(app, member);
    const opened = await continueLogin(app, { challengeId, code: nextCode(app, member.secret) });
    const other = app.with(opened.body.data.token);
    app.travel({ ms: 16 * MINUTE_MS });
    expect((await other.post(REAUTHENTICATION, { code: codeNow(app, member.secret) })).status).toBe(200);
    expect((await other.post(INVITATIONS, invitation())).status).toBe(201);
    expect((await member.client.post(INVITATIONS, invitation())).status).toBe(403);
  });

  it('a code that is sent several times in parallel proves the second factor once', async () => {
    const { client, secret } = await hireProtected(app, ['owner']);
    const code = nextCode(app, secret);
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.post(REAUTHENTICATION, { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
  });

  it('an API token needs no second factor', async () => {
    const member = await hireProtected(app, ['owner']);
    const { token } = await makeToken(member.client, ['*']);
    app.travel({ ms: 60 * MINUTE_MS });
    expect((await app.with(token).post(INVITATIONS, invitation())).status).toBe(201);
    const { status, body } = await app.with(token).post<{ code: string }>(REAUTHENTICATION, { code: '123456' });
    expect([status, body.code]).toEqual([403, 'session_required']);
  });
});

it('without REQUIRE_MFA a session with an old proof, or with none, may do what its roles allow', async () => {
  const own = await startApp();
  const [plain, member] = [await hire(own, ['owner']), await hireProtected(own, ['owner'])];
  own.travel({ ms: 60 * MINUTE_MS });
  for (const { client } of [plain, member]) {
    expect((await client.post(INVITATIONS, invitation())).status).toBe(201);
  }
});
