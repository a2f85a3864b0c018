import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { reversed } from '../../action-ledger/reversals.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem, staffWith } from '../invoices.js';

const PATH = '/v1/admin/finance/settings';
const DEFAULTS = {
  baseCurrency: 'EUR',
  issueDateBackDays: 31,
  paidOnBackDays: 400,
  cancellationFeeTax: 'outside_scope',
  refundDays: 14,
  toleranceCents: 0,
  taxCodesRequired: false,
};

interface Envelope {
  data: typeof DEFAULTS & { version: number };
}

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const put = (body: object, headers: Record<string, string> = {}) => owner.put<Envelope>(PATH, body, { headers });

// Other files use this database.
afterEach(async () => {
  await put({ baseCurrency: 'EUR' });
});

describe('the accounting settings', () => {
  it('accounting settings have defaults before the first change', async () => {
    await app.sql(`update finance_settings set issue_date_back_days = 31`);
    const { status, body, headers } = await owner.get<Envelope>(PATH);
    expect([status, body.data]).toEqual([200, expect.objectContaining(DEFAULTS)]);
    expect(headers['etag']).toBe(`"${body.data.version}"`);
  });

  it('accounting settings are replaced as a whole: omitted members get their defaults', async () => {
    const all = { ...DEFAULTS, issueDateBackDays: 10, paidOnBackDays: 90, cancellationFeeTax: 'as_supply' };
    expect((await put({ ...all, refundDays: 7, toleranceCents: 5 })).body.data).toMatchObject({
      ...all,
      refundDays: 7,
      toleranceCents: 5,
    });
    expect((await put({ baseCurrency: 'EUR' })).body.data).toMatchObject(DEFAULTS);
    expect((await owner.get<Envelope>(PATH)).body.data).toMatchObject(DEFAULTS);
  });

  it('the base currency cannot be changed after the first posting', async () => {
    const { status, body } = await put({ baseCurrency: 'USD' });
    expect([status, body]).toEqual([409, problem('currency_immutable', { baseCurrency: 'EUR' })]);
    expect((await owner.get<Envelope>(PATH)).body.data.baseCurrency).toBe('EUR');
  });

  it('a replacement of accounting settings can be reversed', async () => {
    await put({ baseCurrency: 'EUR', refundDays: 30 });
    await put({ baseCurrency: 'EUR', refundDays: 3 });
    await reversed(app, 'finance', 'finance.settings.replace');
    expect((await owner.get<Envelope>(PATH)).body.data.refundDays).toBe(30);
  });

  it('of two replacements of the same version one is rejected with 412', async () => {
    const { version } = (await owner.get<Envelope>(PATH)).body.data;
    const match = { 'If-Match': `"${version}"` };
    const answers = await Promise.all([1, 2].map((refundDays) => put({ baseCurrency: 'EUR', refundDays }, match)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('replacing accounting settings needs finance:approve, which no wildcard covers', async () => {
    const clerk = await staffWith(app, 'finance:*');
    expect((await clerk.get(PATH)).status).toBe(200);
    const { status, body } = await clerk.put(PATH, { baseCurrency: 'EUR' });
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:approve' })]);
  });

  it.each([
    ['issueDateBackDays', 367, 'too_large'],
    ['issueDateBackDays', -1, 'too_small'],
    ['paidOnBackDays', 3_661, 'too_large'],
    ['refundDays', 366, 'too_large'],
    ['refundDays', 1.5, 'wrong_type'],
    ['toleranceCents', 1_000_001, 'too_large'],
    ['cancellationFeeTax', 'none', 'unknown_value'],
    ['baseCurrency', 'eur', 'wrong_format'],
  ])('accounting settings reject %s %j', async (member, value, code) => {
    const { status, body } = await put({ baseCurrency: 'EUR', [member]: value });
    expect([status, body]).toEqual([400, invalid(member, code)]);
  });
});
