/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { type Contract, CONTRACTS, contractIn, draft, ledgerOf } from './contracts.js';

let app: TestApp;
let staff: TestClient;

beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

describe('changing a draft', () => {
  it('a change of a draft changes the sent member, updatedAt and version, and nothing else', async () => {
    const before = await draft(app, { recipientName: 'Clara', metadata: { a: 1 }, language: 'de', scope: 'partner' });
    const { status, body, headers } = await staff.patch<{ data: Contract }>(`${CONTRACTS}/${before.id}`, {
      title: 'Renamed',
    });

    expect(status).toBe(200);
    expect(headers.etag).toBe('"2"');
    const { updatedAt } = body.data;
    expect(updatedAt).not.toBe(before['updatedAt']);
    expect(body.data).toEqual({ ...before, title: 'Renamed', version: 2, updatedAt });
    const entry = (await ledgerOf(app, before.id)).at(-1);
    expect(entry).toMatchObject({
      action: 'legal.contract.update',
      before: { title: 'Travel contract', version: 1 },
      after: { title: 'Renamed', version: 2, changed: ['title'] },
    });
  });

  it('null clears members that can be null', async () => {
    const filled = {
      contractNumber: 'CLEAR-1',
      expiresAt: '2031-01-31T12:00:00Z',
      recipientName: 'Clara',
      recipientEmail: 'clara@example.com',
      metadata: { a: 1 },
    };
    const { id } = await draft(app, filled);
    const nothing = Object.fromEntries(Object.keys(filled).map((name) => [name, null]));
    expect((await staff.patch<{ data: Contract }>(`${CONTRACTS}/${id}`, nothing)).body.data).toMatchObject(nothing);
  });

  it('an invalid change of a draft is rejected with 400 and changes nothing', async () => {
    const before = await draft(app);
    const { status, body } = await staff.patch<{ code: string; details: object }>(`${CONTRACTS}/${before.id}`, {
      status: 'issued',
    });

    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.details).toMatchObject({ issues: [{ path: 'status', code: 'unknown_member' }] });
    expect((await staff.get(`${CONTRACTS}/${before.id}`)).body).toEqual({ data: before });
  });

  it.each(['issued', 'sent', 'signed', 'executed', 'expired', 'void'] as const)(
    'a change of a contract is 409 contract_locked once it is %s',
    async (status) => {
      const { id } = await contractIn(app, status);
      const answer = await staff.patch(`${CONTRACTS}/${id}`, { language: 'de' });

      expect(answer.status).toBe(409);
      expect(answer.body).toEqual({
        error: 'Only a draft can be changed',
        code: 'contract_locked',
        requestId: answer.headers['x-request-id'],
        details: { status },
      });
    },
  );

  it('a change of an outdated version is 412, also for one of two concurrent changes', async () => {
    const { id } = await draft(app);
    const change = (title: string) =>
      staff.patch<object>(`${CONTRACTS}/${id}`, { title }, { headers: { 'If-Match': '"1"' } });
    const answers = await Promise.all([change('One'), change('Two')]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const rejected = answers.find(({ status }) => status === 412);
    expect(rejected?.body).toEqual({
      error: 'The resource has changed since it was read',
      code: 'precondition_failed',
      requestId: rejected?.headers['x-request-id'],
      details: { currentVersion: 2 },
    });
  });

  it('a change to the number of another contract is 409', async () => {
    await draft(app, { contractNumber: 'MINE-1' });
    const { id } = await draft(app);
    const { status, body } = await staff.patch<{ code: string }>(`${CONTRACTS}/${id}`, { contractNumber: 'MINE-1' });

    expect([status, body.code]).toEqual([409, 'contract_number_taken']);
  });

  it('a change that runs concurrently with the issue is either part of it or rejected', async () => {
    const { id } = await draft(app, { body: '<p>First</p>' });
    const [changed, issued] = await Promise.all([
      staff.patch<{ data: Contract }>(`${CONTRACTS}/${id}`, { body: '<p>Second</p>' }),
      staff.post<{ data: Contract }>(`${CONTRACTS}/${id}/issuance`),
    ]);

    expect(issued.status).toBe(200);
    expect([200, 409]).toContain(changed.status);
    expect(issued.body.data.body).toBe(changed.status === 200 ? '<p>Second</p>' : '<p>First</p>');
  });
});
