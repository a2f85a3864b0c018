/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import {
  type Contract,
  CONTRACTS,
  contractIn,
  declareVoid,
  draft,
  eventsOf,
  issue,
  ledgerOf,
  read,
  type Status,
} from './contracts.js';

const RECIPIENT = { recipientName: 'Clara Ionescu', recipientEmail: 'clara@example.com' };

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describe('the transitions of a contract', () => {
  const commands = {
    issuance: { to: 'issued', from: ['draft'] },
    dispatch: { to: 'sent', from: ['issued', 'sent'] },
    voiding: { to: 'void', from: ['draft', 'issued', 'sent'] },
  };
  const bodies: Record<string, object> = { dispatch: { resend: true }, voiding: { reason: 'Called off' } };
  const statuses: Status[] = ['draft', 'issued', 'sent', 'signed', 'executed', 'expired', 'void'];
  const allowed: Record<string, string[]> = {
    draft: ['issued', 'void'],
    issued: ['sent', 'expired', 'void'],
    sent: ['signed', 'expired', 'void'],
  };
  const moves = Object.entries(commands).flatMap(([command, { to, from }]) =>
    statuses.map((status) => ({ command, to, status, possible: from.includes(status) })),
  );

  it.each(moves.filter(({ possible }) => possible))('$command of a contract in $status makes it $to', async (move) => {
    const { id, version } = await contractIn(app, move.status, RECIPIENT);
    const path = `${CONTRACTS}/${id}/${move.command}`;
    const answer = await app.as('owner').post<{ data: Contract }>(path, bodies[move.command]);

    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ id, status: move.to, version: version + 1 });
    expect(answer.headers.etag).toBe(`"${version + 1}"`);
    expect(await read(app, id)).toEqual(answer.body.data);
  });

  it.each(moves.filter(({ possible }) => !possible))(
    '$command of a contract in $status is 409 invalid_transition',
    async ({ command, to, status }) => {
      const { id } = await contractIn(app, status, RECIPIENT);
      const before = await read(app, id);
      const answer = await app.as('owner').post(`${CONTRACTS}/${id}/${command}`, bodies[command]);

      expect(answer.status).toBe(409);
      expect(answer.body).toEqual({
        error: `A contract cannot go from ${status} to ${to}`,
        code: 'invalid_transition',
        requestId: answer.headers['x-request-id'],
        details: { from: status, to, allowed: allowed[status] ?? [] },
      });
      expect(await read(app, id)).toEqual(before);
    },
  );

  it('each transition has one ledger entry and one event without personal data', async () => {
    const { id } = await contractIn(app, 'sent', RECIPIENT);
    await declareVoid(app, id, 'The customer fell ill');

    const contract = await read(app, id);
    const ledger = await ledgerOf(app, id);
    expect(ledger.map(({ action, reason }) => [action, reason])).toEqual([
      ['legal.contract.create', null],
      ['legal.contract.issue', null],
      ['legal.contract.send', null],
      ['legal.contract.void', 'The customer fell ill'],
    ]);
    expect(ledger[1]).toMatchObject({
      before: { status: 'draft', contractNumber: null },
      after: { status: 'issued', contractNumber: contract.contractNumber, bodySha256: contract.bodySha256 },
    });
    const facts = { contractReference: contract.reference, contractNumber: contract.contractNumber };
    expect(await eventsOf(app, id, 3)).toEqual([
      { event: 'contract.issued', data: { ...facts, version: 2 } },
      { event: 'contract.sent', data: { ...facts, version: 3 } },
      { event: 'contract.voided', data: { ...facts, version: 4 } },
    ]);
  });

  it('a transition of an outdated version of a contract is 412 and changes nothing', async () => {
    const { id } = await draft(app, RECIPIENT);
    const stale = { headers: { 'If-Match': '"7"' } };
    const answers = await Promise.all([
      app.as('owner').post(`${CONTRACTS}/${id}/issuance`, undefined, stale),
      app.as('owner').post(`${CONTRACTS}/${id}/dispatch`, {}, stale),
      app.as('owner').post(`${CONTRACTS}/${id}/voiding`, { reason: 'x' }, stale),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([412, 412, 412]);
    expect(await ledgerOf(app, id)).toHaveLength(1);
  });
});

describe('issuing', () => {
  it('issuing a contract needs no body; an empty one and {} are accepted, a member is 400', async () => {
    const path = async () => `${CONTRACTS}/${(await draft(app)).id}/issuance`;
    const type = { headers: { 'Content-Type': 'application/json' } };
    expect((await app.as('owner').post(await path(), undefined, { raw: '', ...type })).status).toBe(200);
    expect((await app.as('owner').post(await path(), {})).status).toBe(200);
    expect((await app.as('owner').post(await path(), { force: true })).status).toBe(400);
  });

  it('concurrent requests issue a contract once', async () => {
    const { id } = await draft(app);
    const answers = await Promise.all(Array.from({ length: 8 }, () => issue(app, id)));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'invalid_transition')).toHaveLength(7);
    expect((await ledgerOf(app, id)).map(({ action }) => action)).toEqual([
      'legal.contract.create',
      'legal.contract.issue',
    ]);
  });
});

describe('declaring void', () => {
  it('the reason of a voiding is stored with the contract', async () => {
    const { id } = await draft(app);
    const { body } = await declareVoid(app, id, '  The customer\nfell ill ');

    expect(body.data).toMatchObject({ status: 'void', voidReason: 'The customer\nfell ill', contractNumber: null });
    expect(body.data['voidedAt']).toBe(body.data['updatedAt']);
  });

  it('voiding a contract without a reason is 400 and leaves it a draft', async () => {
    const { id } = await draft(app);
    const answer = await app.as('owner').post<{ details: { fields: object } }>(`${CONTRACTS}/${id}/voiding`, {});

    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.details.fields)).toEqual(['reason']);
    expect((await app.as('owner').get(`${CONTRACTS}/${id}`)).body).toMatchObject({ data: { status: 'draft' } });
  });
});
