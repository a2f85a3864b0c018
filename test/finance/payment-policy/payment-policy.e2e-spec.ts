import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem, staffWith } from '../invoices.js';
import { entriesOf, POLICY } from '../payment-plans/plans.js';

const PATH = '/v1/admin/finance/payment-policy';

interface Envelope {
  data: { version: number; steps: object[]; createdAt: string; updatedAt: string } & Record<string, unknown>;
}

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

beforeEach(() => app.sql('delete from payment_policies'));

const put = (body: object, headers: Record<string, string> = {}) => owner.put<Envelope>(PATH, body, { headers });
const complete = {
  steps: [
    { ...POLICY.steps[0], fixedCents: null, remainder: false },
    { ...POLICY.steps[1], percentBasisPoints: null, fixedCents: null },
  ],
  minimumDays: 45,
  floorDays: 3,
  noDateDays: null,
  roundToCents: null,
};

describe('the organization’s payment policy', () => {
  it('the policy is 404 until one is configured, because there is no default percentage', async () => {
    const { status, body } = await owner.get(PATH);
    expect(status).toBe(404);
    expect(body).toEqual(problem('not_found'));
  });

  it('a policy that was configured can be read', async () => {
    const { status, body, headers } = await put(POLICY);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...complete,
      version: 1,
      createdAt: body.data.createdAt,
      updatedAt: body.data.createdAt,
    });
    expect(headers['etag']).toBe('"1"');
    expect((await owner.get(PATH)).body).toEqual(body);
  });

  it('a policy is replaced as a whole: omitted members get their defaults', async () => {
    await put({ ...POLICY, noDateDays: 14, roundToCents: 100 });
    const { body } = await put({ steps: [POLICY.steps[1]] });
    expect(body.data).toMatchObject({ minimumDays: 0, floorDays: 0, noDateDays: null, roundToCents: null, version: 2 });
    expect(body.data.steps).toEqual([complete.steps[1]]);
  });

  it('a policy can be sent back in the form in which it was read', async () => {
    expect((await put(complete)).body.data).toMatchObject(complete);
  });

  it('the ledger entry has the policy before and after the change', async () => {
    await put(POLICY);
    await put({ ...POLICY, minimumDays: 10 });
    const entries = (await entriesOf(owner, 'payment_policy', 'organization')).slice(-2);
    expect(entries).toMatchObject([
      { action: 'finance.payment_policy.replace', before: null, after: { minimumDays: 45, version: 1 } },
      { action: 'finance.payment_policy.replace', before: { minimumDays: 45 }, after: { minimumDays: 10, version: 2 } },
    ]);
  });

  it('ten concurrent requests create one row and replace it nine times', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, minimumDays) => put({ ...POLICY, minimumDays })));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
    expect(answers.map(({ body }) => body.data.version).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('two requests with the same Idempotency-Key replace the policy once', async () => {
    const key = { 'Idempotency-Key': 'policy-put-once' };
    const [one, two] = [await put(POLICY, key), await put(POLICY, key)];
    expect(two.body).toEqual(one.body);
    expect((await owner.get<Envelope>(PATH)).body.data.version).toBe(1);
  });

  it('changing the policy needs finance:write and reading it needs finance:read', async () => {
    await put(POLICY);
    const reader = await staffWith(app, 'finance:read');
    expect((await reader.get(PATH)).status).toBe(200);
    const { status, body } = await reader.put(PATH, POLICY);
    expect(status).toBe(403);
    expect(body).toEqual(problem('forbidden', { requiredScope: 'finance:write' }));
  });
});

describe('an invalid payment policy', () => {
  const [deposit, balance] = POLICY.steps;

  it.each([
    [
      'percentages beyond 10000 bp',
      [{ ...deposit, percentBasisPoints: 10_000 }, { ...deposit, percentBasisPoints: 1 }, balance],
      10_001,
      1,
    ],
    ['no remainder', [deposit], 3000, 0],
    ['two remainders', [balance, balance], 0, 2],
  ])(
    'a policy with %s is rejected with 422 invalid_payment_policy',
    async (...[, steps, percentBasisPoints, remainders]) => {
      const { status, body } = await put({ steps });
      expect(status).toBe(422);
      expect(body).toEqual(problem('invalid_payment_policy', { field: 'steps', percentBasisPoints, remainders }));
      expect((await owner.get(PATH)).status).toBe(404);
    },
  );

  it.each([
    [{ steps: [{ ...deposit, fixedCents: 100 }, balance] }, 'steps.0', 'one_amount'],
    [{ steps: [balance, { ...deposit, percentBasisPoints: null }] }, 'steps.1', 'one_amount'],
    [{ ...POLICY, roundToCents: 0 }, 'roundToCents', 'too_small'],
  ])('%j is rejected with 400 at %s with the code %s, and nothing is stored', async (body, path, code) => {
    const { status, body: answer } = await put(body);
    expect([status, answer]).toEqual([400, invalid(path, code)]);
    expect((await owner.get(PATH)).status).toBe(404);
  });
});
