/** @jest-environment-options {"application":"shared"} */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { contractIn, declareVoid, dispatch, draft, issue, read } from './contracts.js';

const HARMFUL = '<h1 style="color:red">Contract</h1><script>steal()</script><p onclick="steal()">Seven days é</p>';
const HARMLESS = '<h1>Contract</h1><p>Seven days é</p>';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const refusal = (text: string, values: unknown[]) =>
  app.sql(text, values).then(
    () => null,
    (error: { code: string; constraint?: string }) => error.constraint ?? error.code,
  );

describe('the text of a contract', () => {
  it('the text of a contract is sanitized and frozen with its SHA-256 at issue', async () => {
    const { id, body } = await draft(app, { body: HARMFUL });
    expect(body).toBe(HARMFUL);
    const issued = (await issue(app, id)).body.data;

    expect(issued.body).toBe(HARMLESS);
    expect(issued.bodySha256).toBe(createHash('sha256').update(HARMLESS).digest('hex'));
    expect(issued['issuedAt']).toBe(issued['updatedAt']);
  });

  it('text, number and digest of a contract do not change in later states', async () => {
    const { id } = await draft(app, { body: HARMFUL, recipientEmail: 'clara@example.com' });
    const { body, bodySha256, contractNumber } = (await issue(app, id)).body.data;
    await dispatch(app, id);
    expect(await read(app, id)).toMatchObject({ status: 'sent', body, bodySha256, contractNumber });
    await declareVoid(app, id);
    expect(await read(app, id)).toMatchObject({ status: 'void', body, bodySha256, contractNumber });
  });

  it.each([
    [`body = body || 'x'`],
    [`body = 'x', body_sha256 = encode(sha256('x'), 'hex')`],
    [`body_sha256 = repeat('0', 64)`],
    [`contract_number = 'OTHER-1'`],
    ['contract_number = null'],
    [`title = 'Another contract'`],
    [`language = 'xx'`],
    [`issued_at = issued_at + interval '1 day'`],
    [`status = 'draft', issued_at = null, body_sha256 = null`],
  ])('the database rejects a change of an issued contract: set %s', async (change) => {
    const { id } = await contractIn(app, 'issued');
    const before = await read(app, id);

    expect(await refusal(`update contracts set ${change} where public_id = $1`, [id])).toBe('23001');
    expect(await read(app, id)).toEqual(before);
  });

  it('the database rejects the deletion of an issued contract', async () => {
    const { id } = await contractIn(app, 'issued');

    expect(await refusal('delete from contracts where public_id = $1', [id])).toBe('23001');
    expect((await read(app, id)).status).toBe('issued');
  });
});

describe('the table of contracts', () => {
  it.each([
    ['draft', `status = 'issued'`, 'contracts_issued_stamp'],
    ['draft', `status = 'issued', contract_number = 'N-1', issued_at = now()`, 'contracts_issued_digest'],
    [
      'draft',
      `status = 'issued', issued_at = now(), body_sha256 = encode(sha256(convert_to(body, 'UTF8')), 'hex')`,
      'contracts_issued_number',
    ],
    ['draft', `sent_at = now()`, 'contracts_sent_after_issue'],
    ['draft', `body_sha256 = repeat('0', 64)`, 'contracts_issued_digest'],
    ['issued', `status = 'draft'`, 'contracts_draft_is_not_issued'],
    ['issued', `status = 'sent'`, 'contracts_sent_stamp'],
    ['issued', `sent_at = now()`, 'contracts_issued_is_not_sent'],
    ['issued', `status = 'expired', expires_at = now()`, 'contracts_expired_stamp'],
    ['issued', `status = 'expired', expired_at = now()`, 'contracts_expired_had_expiry'],
    ['issued', `status = 'void'`, 'contracts_void_stamp'],
    ['issued', `status = 'void', voided_at = now()`, 'contracts_void_reason'],
    ['issued', `status = 'lost'`, 'contracts_status_check'],
  ] as const)(
    'the contracts table rejects timestamps that do not match the status: %s with %s',
    async (status, change, constraint) => {
      const { id } = await contractIn(app, status);

      const refused = refusal(`update contracts set ${change} where public_id = $1`, [id]);
      expect(await refused).toBe(constraint);
    },
  );
});
