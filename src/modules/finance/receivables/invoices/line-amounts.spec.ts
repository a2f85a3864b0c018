import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type LineInput, plainQuantity, priceLines, totalsOf } from './line-amounts.js';

const price = (line: Partial<LineInput>) =>
  priceLines([{ description: 'Seat', unitPriceCents: 0, ...line }]).map(({ netCents, taxCents, totalCents }) => [
    netCents,
    taxCents,
    totalCents,
  ])[0];

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    const { status, code, details } = error as { status: number; code: string; details: object };
    return { status, code, details };
  }
  return null;
}

describe('an invoice line', () => {
  it.each<[Partial<LineInput>, number[]]>([
    [{ quantity: '3', unitPriceCents: 1_000, taxRateBasisPoints: 1_900 }, [3_000, 570, 3_570]],
    [{ unitPriceCents: 1_000 }, [1_000, 0, 1_000]],
    [{ quantity: '1.5', unitPriceCents: 333, taxRateBasisPoints: 700 }, [500, 35, 535]],
    [{ quantity: '0.0001', unitPriceCents: 5_000, taxRateBasisPoints: 10_000 }, [1, 1, 2]],
    [{ quantity: '0.0001', unitPriceCents: 4_999 }, [0, 0, 0]],
    [{ quantity: '2.5', unitPriceCents: -333, taxRateBasisPoints: 1_900 }, [-833, -158, -991]],
    [{ quantity: '1', unitPriceCents: 10_000, taxCents: 1_234 }, [10_000, 1_234, 11_234]],
    [{ quantity: '1', unitPriceCents: 10_000, taxRateBasisPoints: 0 }, [10_000, 0, 10_000]],
  ])('the invoice line %j has the net, tax and total amounts %j', (line, amounts) =>
    expect(price(line)).toEqual(amounts),
  );

  it.each([
    ['netCents', 999, 1_000],
    ['taxCents', 191, 190],
    ['totalCents', 1_191, 1_190],
  ])('an invoice line with another %s than the computed one is rejected', (name, actual, expected) => {
    const line = { unitPriceCents: 1_000, taxRateBasisPoints: 1_900, [name]: actual };
    expect(thrownBy(() => price(line))).toEqual({
      status: 422,
      code: 'totals_mismatch',
      details: { field: `lines.0.${name}`, expected, actual },
    });
  });

  it('an invoice line beyond 2^53-1 is rejected with 400', () => {
    const line = { quantity: '2', unitPriceCents: Number.MAX_SAFE_INTEGER };
    expect(thrownBy(() => price(line))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      details: { issues: [{ path: 'lines.0.netCents', code: 'amount_too_large' }] },
    });
  });

  it.each([
    ['1', '1'],
    ['10', '10'],
    ['1.50', '1.5'],
    ['2.0000', '2'],
    ['0.0100', '0.01'],
  ])('an invoice line with the quantity %s has the canonical quantity %s', (sent, kept) =>
    expect(plainQuantity(sent)).toBe(kept),
  );
});

describe('the totals of an invoice', () => {
  const lines = priceLines([
    { description: 'Tour', quantity: '2', unitPriceCents: 5_000, taxRateBasisPoints: 1_900 },
    { description: 'Discount', unitPriceCents: -1_000, taxRateBasisPoints: 1_900 },
  ]);

  it('the totals of an invoice are the sums of its lines', () => {
    expect(totalsOf(lines, {})).toEqual({ subtotalCents: 9_000, taxCents: 1_710, totalCents: 10_710 });
    expect(totalsOf(lines, { totalCents: 10_710 })).toMatchObject({ totalCents: 10_710 });
  });

  it('the totals of an invoice are rejected if they differ from the computed ones or are below 0', () => {
    expect(thrownBy(() => totalsOf(lines, { subtotalCents: 9_001 }))).toEqual({
      status: 422,
      code: 'totals_mismatch',
      details: { field: 'subtotalCents', expected: 9_000, actual: 9_001 },
    });
    expect(thrownBy(() => totalsOf(priceLines([{ description: 'Off', unitPriceCents: -1 }]), {}))).toEqual({
      status: 422,
      code: 'negative_total',
      details: { field: 'lines', totalCents: -1 },
    });
  });

  it('the totals of an invoice add up for any lines', () => {
    const line = fc.record({
      description: fc.constant('x'),
      quantity: fc.tuple(fc.nat({ max: 9_999 }), fc.integer({ min: 1, max: 9_999 })).map(([a, b]) => `${a}.${b}`),
      unitPriceCents: fc.integer({ min: 0, max: 1_000_000 }),
      taxRateBasisPoints: fc.option(fc.nat({ max: 10_000 })),
    });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (drafts) => {
        const priced = priceLines(drafts);
        const totals = totalsOf(priced, {});
        expect(totals.subtotalCents + totals.taxCents).toBe(totals.totalCents);
        expect(priced.reduce((sum, { totalCents }) => sum + totalCents, 0)).toBe(totals.totalCents);
        // Clients can send a response back.
        expect(priceLines(priced)).toEqual(priced);
      }),
    );
  });
});
