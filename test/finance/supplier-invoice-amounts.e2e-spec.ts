/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { body, invalid, make, PATH, problem } from './invoices.js';

let owner: TestClient;

beforeAll(async () => {
  owner = (await startApp()).as('owner');
});

async function errorOf(over: Record<string, unknown>): Promise<{ status: number; body: unknown }> {
  const { status, body: answer } = await owner.post(PATH, body(over));
  return { status, body: answer };
}

describe('subtotal and tax', () => {
  it('without tax the subtotal is the total', async () => {
    expect(await make(owner, { totalCents: 500 })).toMatchObject({ subtotalCents: 500, taxCents: 0 });
    expect(await make(owner, { totalCents: 500, taxCents: 80 })).toMatchObject({ subtotalCents: 420, taxCents: 80 });
  });

  it.each([
    [
      { totalCents: 500, subtotalCents: 420, taxCents: 79 },
      { field: 'totalCents', expected: 499, actual: 500 },
    ],
    [
      { totalCents: 500, subtotalCents: 420 },
      { field: 'totalCents', expected: 420, actual: 500 },
    ],
    [
      { totalCents: 500, taxCents: 501 },
      { field: 'taxCents', expected: 500, actual: 501 },
    ],
  ])('%j is rejected with 422 totals_mismatch', async (over, details) => {
    expect(await errorOf(over)).toEqual({ status: 422, body: problem('totals_mismatch', details) });
  });
});

describe('lines', () => {
  const room = { description: 'Room', serviceType: 'accommodation', quantity: 3, unitAmountCents: 3_000 };

  it('lines keep their order, get their defaults and determine the tax', async () => {
    const lines = [
      { ...room, taxAmountCents: 1_000 },
      { description: 'Tip', unitAmountCents: 1_900 },
    ];
    expect(await make(owner, { lines })).toMatchObject({
      taxCents: 1_000,
      subtotalCents: 10_900,
      lines: [
        { ...room, taxAmountCents: 1_000, totalAmountCents: 10_000 },
        {
          description: 'Tip',
          serviceType: 'other',
          quantity: 1,
          unitAmountCents: 1_900,
          taxAmountCents: 0,
          totalAmountCents: 1_900,
        },
      ],
    });
  });

  it('an invoice has at most 500 lines', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => ({ description: `Line ${index}`, unitAmountCents: index }));
    const { lines: kept } = await make(owner, { totalCents: 124_750, lines });
    expect(kept.map(({ description }) => description)).toEqual(lines.map(({ description }) => description));
    expect((await errorOf({ lines: [...lines, room] })).body).toEqual(invalid('lines', 'too_many'));
  });

  it('lines whose sum is not the total are rejected with 422 totals_mismatch', async () => {
    const details = { field: 'lines', expected: 11_900, actual: 9_000 };
    expect(await errorOf({ lines: [room] })).toEqual({ status: 422, body: problem('totals_mismatch', details) });
  });

  it('a stated tax or subtotal other than that of the lines is rejected with 422 totals_mismatch', async () => {
    const lines = [{ ...room, taxAmountCents: 2_900 }];
    const details = { field: 'taxCents', expected: 2_900, actual: 0 };
    const expected = { status: 422, body: problem('totals_mismatch', details) };
    expect(await errorOf({ lines, taxCents: 0 })).toEqual(expected);
    expect(await errorOf({ lines, taxCents: 0, subtotalCents: 11_900 })).toEqual(expected);
  });

  it('changed lines determine subtotal and tax unless these are sent', async () => {
    const { id } = await make(owner, { lines: [{ ...room, taxAmountCents: 2_900 }] });
    const lines = [{ ...room, unitAmountCents: 3_500, taxAmountCents: 1_400 }];
    const { status, body: answer } = await owner.patch<{ data: object }>(`${PATH}/${id}`, { lines });
    expect([status, answer.data]).toMatchObject([200, { subtotalCents: 10_500, taxCents: 1_400, totalCents: 11_900 }]);
    const wrong = await owner.patch(`${PATH}/${id}`, { lines, taxCents: 2_900, subtotalCents: 9_000 });
    const details = { field: 'taxCents', expected: 1_400, actual: 2_900 };
    expect([wrong.status, wrong.body]).toEqual([422, problem('totals_mismatch', details)]);
  });

  it('a line total other than quantity * unit + tax is rejected with 422 totals_mismatch', async () => {
    const details = { field: 'lines.0.totalAmountCents', expected: 9_000, actual: 11_900 };
    const lines = [{ ...room, totalAmountCents: 11_900 }];
    expect(await errorOf({ lines })).toEqual({ status: 422, body: problem('totals_mismatch', details) });
  });
});

describe('base amounts', () => {
  it('base amounts are converted to minor units of the base currency, and the tax is their difference', async () => {
    const amounts = { subtotalCents: 10_000, taxCents: 1_900, currency: 'CHF', baseCurrency: 'EUR' };
    expect(await make(owner, { ...amounts, exchangeRate: '1.0325' })).toMatchObject({
      exchangeRate: '1.0325',
      baseTotalCents: 12_287,
      baseSubtotalCents: 10_325,
      baseTaxCents: 1_962,
    });
  });

  it.each([
    ['JPY', 'EUR', '0.0061', 10_001, 6_101],
    ['EUR', 'JPY', '163.255', 10_001, 16_327],
    ['EUR', 'KWD', '0.3370', 1_000, 3_370],
    ['EUR', 'USD', '0.0000000001', 11_900, 0],
  ])(
    '%s to %s at the rate %s converts %i to %i',
    async (...[currency, baseCurrency, exchangeRate, totalCents, expected]) => {
      const made = await make(owner, { currency, baseCurrency, exchangeRate, totalCents });
      expect(made).toMatchObject({ exchangeRate, baseTotalCents: expected });
      expect((await owner.get<{ data: object }>(`${PATH}/${made.id}`)).body.data).toEqual(made);
    },
  );

  it('base amounts are null without a rate, and equal the amounts between equal currencies', async () => {
    const none = { exchangeRate: null, baseTotalCents: null, baseSubtotalCents: null, baseTaxCents: null };
    expect(await make(owner, { currency: 'CHF' })).toMatchObject({ baseCurrency: null, ...none });
    expect(await make(owner, { currency: 'CHF', baseCurrency: 'EUR' })).toMatchObject(none);
    expect(await make(owner, { baseCurrency: 'EUR', exchangeRate: '1.00' })).toMatchObject({
      exchangeRate: '1',
      baseTotalCents: 11_900,
    });
  });

  it('a rate other than 1 between equal currencies is rejected with 400', async () => {
    const { status, body: answer } = await errorOf({ baseCurrency: 'EUR', exchangeRate: '1.01' });
    expect(status).toBe(400);
    expect(answer).toEqual(invalid('exchangeRate', 'rate_must_be_one'));
  });

  it('base amounts beyond 2^53-1 are rejected with 400', async () => {
    const over = {
      currency: 'CHF',
      baseCurrency: 'EUR',
      exchangeRate: '9999999999',
      totalCents: 9_007_199_254_740_991,
    };
    expect(await errorOf(over)).toEqual({ status: 400, body: invalid('exchangeRate', 'amount_too_large') });
  });
});
