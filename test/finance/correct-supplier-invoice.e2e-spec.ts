/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { type Envelope, type Invoice, invalid, make, PATH, problem } from './invoices.js';

let owner: TestClient;

beforeAll(async () => {
  owner = (await startApp()).as('owner');
});

const CONVERTED = { currency: 'CHF', baseCurrency: 'EUR', exchangeRate: '1.0325' };
const patch = (id: string, changes: object) => owner.patch<Envelope>(`${PATH}/${id}`, changes);

async function changed(invoice: Invoice, changes: object): Promise<Invoice> {
  const { status, body } = await patch(invoice.id, changes);
  expect(status).toBe(200);
  return body.data;
}

async function errorOf(invoice: Invoice, changes: object): Promise<{ status: number; body: unknown }> {
  const { status, body } = await patch(invoice.id, changes);
  expect((await owner.get<Envelope>(`${PATH}/${invoice.id}`)).body.data).toEqual(invoice);
  return { status, body };
}

describe('the amounts of a draft', () => {
  it('the subtotal of a draft without tax follows its corrected total', async () => {
    const before = await make(owner, { baseCurrency: 'EUR' });
    expect(await changed(before, { totalCents: 12_000 })).toMatchObject({
      totalCents: 12_000,
      subtotalCents: 12_000,
      taxCents: 0,
      baseTotalCents: 12_000,
    });
    expect(await changed(before, { taxCents: 2_000 })).toMatchObject({ totalCents: 12_000, subtotalCents: 10_000 });
  });

  it.each([{ totalCents: 12_000 }, { taxCents: 0 }, { subtotalCents: 1 }])(
    'a change of %j alone is rejected with 422 totals_mismatch if the draft has a tax breakdown',
    async (changes) => {
      const before = await make(owner, { subtotalCents: 10_000, taxCents: 1_900 });
      const { status, body } = await errorOf(before, changes);
      expect(status).toBe(422);
      const details = { field: 'totalCents', expected: expect.any(Number), actual: expect.any(Number) };
      expect(body).toEqual(problem('totals_mismatch', details));
    },
  );

  it('a total that differs from the lines, and lines of another sum, are 422 totals_mismatch', async () => {
    const before = await make(owner, { lines: [{ description: 'Bus', unitAmountCents: 11_900 }] });
    expect(await errorOf(before, { totalCents: 12_000 })).toEqual({
      status: 422,
      body: problem('totals_mismatch', { field: 'lines', expected: 12_000, actual: 11_900 }),
    });
    expect(await errorOf(before, { lines: [{ description: 'Bus', unitAmountCents: 1 }] })).toEqual({
      status: 422,
      body: problem('totals_mismatch', { field: 'lines', expected: 11_900, actual: 1 }),
    });
  });

  it('base amounts are recomputed if the rate changes', async () => {
    const before = await make(owner, CONVERTED);
    const after = await changed(before, { exchangeRate: '2' });
    expect(after).toEqual({
      ...before,
      exchangeRate: '2',
      baseTotalCents: 23_800,
      baseSubtotalCents: 23_800,
      version: 2,
      updatedAt: after['updatedAt'],
    });
  });

  it.each([{ currency: 'USD' }, { baseCurrency: 'USD' }, { baseCurrency: null }, { currency: 'EUR' }])(
    'a change of %j alone that leaves a rate between equal currencies is rejected with 400',
    async (changes) => {
      const before = await make(owner, CONVERTED);
      expect(await errorOf(before, changes)).toEqual({ status: 400, body: invalid('exchangeRate', 'rate_outdated') });
      expect((await patch(before.id, { ...changes, exchangeRate: null })).status).toBe(200);
    },
  );

  it('a rate without a base currency is rejected', async () => {
    const answer = { status: 400, body: invalid('exchangeRate', 'base_currency_required') };
    expect(await errorOf(await make(owner), { exchangeRate: '1.1' })).toEqual(answer);
  });
});

describe('the dates of a draft', () => {
  it.each([{ dueDate: '2027-01-14' }, { issueDate: '2027-03-01' }])(
    'the body %j is rejected because the due date is before the issue date',
    async (changes) => {
      const before = await make(owner, { dueDate: '2027-02-14' });
      expect(await errorOf(before, changes)).toEqual({ status: 400, body: invalid('dueDate', 'due_before_issue') });
    },
  );
});
