import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError } from '../../../platform/errors/app-error.js';
import { ITEM_TYPES } from './booking-item.entity.js';
import { type PricedItem, priceItem } from './item-price.js';

const item = (over: Partial<PricedItem> = {}): PricedItem => ({
  type: 'unit',
  quantity: 1,
  unitSellCents: 0,
  taxIncludedCents: 0,
  costCents: null,
  costCurrency: null,
  ...over,
});

describe('the price of an item', () => {
  it('the price of an item is quantity * unit without rounding, or rejected with 400', () => {
    const any = fc.record({
      type: fc.constantFrom(...ITEM_TYPES),
      quantity: fc.integer({ min: 1, max: 1_000_000 }),
      unitSellCents: fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -100_000, max: 100_000 })),
      taxIncludedCents: fc.oneof(fc.constant(0), fc.integer({ min: -1_000, max: 1_000 })),
    });
    fc.assert(
      fc.property(any, (over) => {
        const exact = BigInt(over.quantity) * BigInt(over.unitSellCents);
        const isStorable = exact <= BigInt(Number.MAX_SAFE_INTEGER) && exact >= BigInt(Number.MIN_SAFE_INTEGER);
        const isOfType =
          over.type === 'adjustment' || (over.type === 'discount' ? over.unitSellCents <= 0 : over.unitSellCents >= 0);
        const tax = BigInt(over.taxIncludedCents);
        const isTaxed = exact >= 0n ? tax >= 0n && tax <= exact : tax <= 0n && tax >= exact;
        if (isStorable && isOfType && isTaxed) expect(BigInt(priceItem(item(over)))).toBe(exact);
        else expect(() => priceItem(item(over))).toThrow(AppError);
      }),
      { numRuns: 3_000 },
    );
  });

  it('the price of an item needs both parts of a cost, or none', () => {
    expect(() => priceItem(item({ costCents: 0 }))).toThrow(AppError);
    expect(() => priceItem(item({ costCurrency: 'EUR' }))).toThrow(AppError);
    expect(priceItem(item({ costCents: 0, costCurrency: 'EUR' }))).toBe(0);
  });
});
