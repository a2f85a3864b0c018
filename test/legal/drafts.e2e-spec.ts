/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { type Contract, CONTRACTS, draft, ledgerOf, mailsOf } from './contracts.js';

let app: TestApp;
let staff: TestClient;

beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

describe('creating a contract', () => {
  it('a new contract is a draft with defaults and a random id at its Location', async () => {
    const { status, body, headers } = await staff.post<{ data: Contract }>(CONTRACTS, { title: '  Danube cruise ' });

    expect(status).toBe(201);
    const { id, reference, createdAt } = body.data;
    expect(id).toMatch(/^ctr_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(reference).toMatch(/^ctrf_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(headers.location).toBe(`${CONTRACTS}/${reference}`);
    expect(headers.etag).toBe('"1"');
    expect(body).toEqual({
      data: {
        id,
        reference,
        title: 'Danube cruise',
        status: 'draft',
        contractNumber: null,
        body: '',
        bodySha256: null,
        language: 'en',
        scope: 'customer',
        expiresAt: null,
        publicUntil: null,
        withdrawnAt: null,
        bookingId: null,
        recipientName: null,
        recipientEmail: null,
        metadata: null,
        issuedAt: null,
        sentAt: null,
        signedAt: null,
        signature: null,
        expiredAt: null,
        voidedAt: null,
        voidReason: null,
        version: 1,
        createdAt,
        updatedAt: createdAt,
      },
    });
    expect((await staff.get(headers.location ?? '')).body).toEqual(body);
  });

  it('a new contract stores what was sent and ignores an id', async () => {
    const terms = {
      title: 'Danube cruise',
      status: 'draft',
      contractNumber: 'DC/2027/1',
      body: '<p onclick="x()">As written, until it is issued</p>',
      language: 'ro',
      scope: 'supplier',
      expiresAt: '2031-01-31T12:00:00+02:00',
      recipientName: 'Clara Ionescu',
      recipientEmail: 'clara@example.com',
      metadata: { toString: 'kept', nested: { deep: [1, null] } },
    };
    const { status, body } = await staff.post<{ data: Contract }>(CONTRACTS, { id: 'ctr_mine', ...terms });

    expect(status).toBe(201);
    expect(body.data).toMatchObject({ ...terms, expiresAt: '2031-01-31T10:00:00.000Z' });
    expect(body.data.id).not.toBe('ctr_mine');
  });

  it.each(['issued', 'sent', 'signed', 'executed', 'expired', 'void'])(
    'a new contract with the status %s is 422',
    async (status) => {
      const answer = await staff.post(CONTRACTS, { title: 'Too early', status });

      expect(answer.status).toBe(422);
      expect(answer.body).toEqual({
        error: 'A new contract must have the status draft',
        code: 'invalid_initial_status',
        requestId: answer.headers['x-request-id'],
        details: { field: 'status' },
      });
    },
  );

  it('a new contract with an unknown member is 400', async () => {
    const { status, body, headers } = await staff.post(CONTRACTS, { title: 'Early bird', channelId: 'chan_1' });

    expect(status).toBe(400);
    const message = 'channelId is not recognized';
    expect(body).toEqual({
      error: 'The request is invalid',
      code: 'invalid_request',
      requestId: headers['x-request-id'],
      details: {
        issues: [{ path: 'channelId', message, code: 'unknown_member' }],
        fields: { channelId: [message] },
      },
    });
    expect(await app.sql(`select from contracts where title = 'Early bird'`)).toEqual([]);
  });

  it('a number of another contract is 409, also for all but one of concurrent requests', async () => {
    const create = () => staff.post<{ data: Contract }>(CONTRACTS, { title: 'Twice', contractNumber: 'TWICE-1' });
    const answers = await Promise.all([create(), create(), create()]);

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const rejected = answers.find(({ status }) => status === 409);
    expect(rejected?.body).toEqual({
      error: 'Another contract already has this number',
      code: 'contract_number_taken',
      requestId: rejected?.headers['x-request-id'],
    });
  });

  it('two requests with one Idempotency-Key create one contract', async () => {
    const call = { headers: { 'Idempotency-Key': 'contract-key-0001' } };
    const first = await staff.post<{ data: Contract }>(CONTRACTS, { title: 'Once' }, call);
    const second = await staff.post<{ data: Contract }>(CONTRACTS, { title: 'Once' }, call);

    expect(second.headers['idempotent-replayed']).toBe('true');
    const { id: _secret, ...rest } = first.body.data;
    expect(second.body).toEqual({ data: rest });
    expect(second.headers.location).toBe(first.headers.location);
    expect(await app.sql(`select from contracts where title = 'Once'`)).toHaveLength(1);
  });

  it('the ledger entry of a new contract has no party, metadata or text', async () => {
    const contract = await draft(app, {
      recipientName: 'Clara Ionescu',
      recipientEmail: 'clara@example.com',
      metadata: { passport: 'P1234567' },
      body: '<p>Confidential</p>',
    });
    const [entry] = await ledgerOf(app, contract.id);

    expect(entry).toMatchObject({ action: 'legal.contract.create', actorType: 'api_key', before: null });
    expect(entry?.['after']).toMatchObject({ title: contract.title, status: 'draft', version: 1 });
    expect(JSON.stringify(entry)).not.toMatch(/Clara|clara|P1234567|Confidential/);
    expect(await mailsOf(app, contract.id)).toEqual([]);
  });
});

describe('a contract that is unknown, or whose id is malformed', () => {
  const ids = ['ctr_00000000000000000000000000', 'ctr_x', 'nothing', 'ctr_ILOU0000000000000000000000', '%zz', '%00'];

  it.each(ids)('an unknown or malformed contract id is the same 404 on every staff route: %s', async (id) => {
    const path = `${CONTRACTS}/${id}`;
    const answers = await Promise.all([
      staff.get(path),
      staff.patch(path, { title: 'x' }),
      staff.post(`${path}/issuance`),
      staff.post(`${path}/dispatch`),
      staff.post(`${path}/voiding`, { reason: 'x' }),
    ]);

    for (const { status, body, headers } of answers) {
      expect(status).toBe(404);
      expect(body).toEqual({ error: 'Not found', code: 'not_found', requestId: headers['x-request-id'] });
    }
  });
});
