import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  allocateTax,
  creditDueByGroup,
  feeByGroup,
  includedTax,
  owedByGroup,
  restByGroup,
  split,
  sumByGroup,
  type TaxedItem,
  type TaxGroup,
  wronglyBilled,
} from './tax-groups.js';

const WHOLLY_AT_ITS_RATE = { earlierRateCents: 0, earlierRateTaxCents: 0 };

const given = (grossCents: number, taxCents: number): TaxedItem => ({
  taxCodeId: null,
  taxCode: null,
  taxKind: null,
  taxRateBasisPoints: null,
  totalSellCents: grossCents,
  taxIncludedCents: taxCents,
  ...WHOLLY_AT_ITS_RATE,
});

const coded = (grossCents: number, rate: number, taxCode = `DE-${String(rate).padStart(4, '0')}`): TaxedItem => ({
  taxCodeId: `taxc_${taxCode}`,
  taxCode,
  taxKind: rate === 0 ? 'exempt' : 'standard',
  taxRateBasisPoints: rate,
  totalSellCents: grossCents,
  taxIncludedCents: includedTax(grossCents, rate),
  ...WHOLLY_AT_ITS_RATE,
});

const figures = (groups: readonly TaxGroup[]) => groups.map(({ grossCents, taxCents }) => [grossCents, taxCents]);
const taxOf = (groups: readonly TaxGroup[]) => groups.reduce((sum, { taxCents }) => sum + taxCents, 0);

/** Bills these amounts in turn, with these items. */
function bill(items: readonly TaxedItem[], amounts: readonly number[], earlier: readonly TaxGroup[] = []) {
  const documents: TaxGroup[][] = [];
  for (const amount of amounts) {
    const rests = restByGroup(owedByGroup(items), sumByGroup([...earlier, ...documents.flat()]));
    expect(wronglyBilled(rests)).toEqual([]);
    documents.push(allocateTax(rests, amount));
  }
  return documents;
}

const TRIP = given(119_000, 19_000);
const DEPOSIT = bill([TRIP], [35_700]);

describe('the tax of documents that bill a booking in parts', () => {
  it('the deposit of a booking has its part of the tax', () => {
    expect(DEPOSIT.map(figures)).toEqual([[[35_700, 5_700]]]);
  });

  it('an item without tax that is added after the deposit does not change the sum of the tax', () => {
    const documents = bill([TRIP, given(50_000, 0)], [83_300, 50_000], DEPOSIT.flat());
    expect(documents.map(figures)).toEqual([[[83_300, 8_311]], [[50_000, 4_989]]]);
    expect(taxOf([...DEPOSIT, ...documents].flat())).toBe(19_000);
  });

  it.each([
    {
      kind: 'given',
      items: [TRIP, given(-10_000, 0)],
      deposit: DEPOSIT.flat(),
      tax: 13_300,
      sum: 19_000,
    },
    {
      kind: 'of the same tax code',
      items: [coded(119_000, 1_900), coded(-10_000, 1_900)],
      deposit: bill([coded(119_000, 1_900)], [35_700]).flat(),
      tax: 11_703,
      sum: 17_403,
    },
  ])('a discount after the deposit that is $kind leaves the exact rest', ({ items, deposit, tax, sum }) => {
    const documents = bill(items, [73_300], deposit);
    expect(documents.map(figures)).toEqual([[[73_300, tax]]]);
    expect(taxOf([...deposit, ...documents.flat()])).toBe(sum);
  });

  it('a tax that is set to 0 after the deposit is a wrong tax on the deposit, and a correction leaves nothing of it', () => {
    const untaxed = [given(119_000, 0)];
    const rests = restByGroup(owedByGroup(untaxed), sumByGroup(DEPOSIT.flat()));
    expect(figures(wronglyBilled(rests))).toEqual([[83_300, -5_700]]);
    expect(creditDueByGroup(untaxed, 0, sumByGroup(DEPOSIT.flat()))).toMatchObject([
      { key: 'given', grossCents: 0, taxCents: 5_700, wrongTax: true },
    ]);

    expect(bill(untaxed, [35_700, 83_300]).map(figures)).toEqual([[[35_700, 0]], [[83_300, 0]]]);
  });

  it('a document has one line for each tax code', () => {
    const items = [coded(119_000, 1_900, 'DE-19'), coded(10_700, 700, 'DE-07')];
    const [deposit = []] = bill(items, [38_910]);
    expect(figures(deposit)).toEqual([
      [3_210, 210],
      [35_700, 5_700],
    ]);
    expect(taxOf(deposit)).toBe(5_910);

    const exempt = coded(50_000, 0, 'DE-0');
    const documents = bill([...items, exempt], [90_790, 50_000], deposit);
    expect(documents.map(figures)).toEqual([
      [
        [32_243, 0],
        [4_830, 316],
        [53_717, 8_577],
      ],
      [
        [17_757, 0],
        [2_660, 174],
        [29_583, 4_723],
      ],
    ]);
    expect(taxOf([...deposit, ...documents.flat()])).toBe(19_700);
  });

  it.each([
    { currency: 'JPY', gross: 10_001, rate: 1_000, amounts: [3_000, 7_001], taxes: [273, 636] },
    { currency: 'KWD', gross: 12_345, rate: 500, amounts: [3_704, 8_641], taxes: [176, 412] },
  ])('the installments of $currency have the tax of the item in sum', ({ gross, rate, amounts, taxes }) => {
    const documents = bill([coded(gross, rate)], amounts);
    expect(documents.map(taxOf)).toEqual(taxes);
    expect(taxOf(documents.flat())).toBe(includedTax(gross, rate));
  });

  it('a waived amount is split by the gross of the groups and lowers their tax in proportion', () => {
    const items = [coded(119_000, 1_900, 'DE-19'), given(10_700, 700)];
    expect(figures(owedByGroup(items, 12_970))).toEqual([
      [107_100, 17_100],
      [9_630, 630],
    ]);
  });

  it('a waived amount has the tax of the rates of a tax code, and a discount at another rate keeps its own', () => {
    const items = [coded(119_000, 1_900, 'DE-1'), coded(-11_600, 1_600, 'DE-1')];
    expect(figures(owedByGroup(items, 35_700))).toEqual([[71_700, 19_000 - 1_600 - 5_700]]);
    expect(figures(owedByGroup([...items, coded(121_000, 2_100, 'DE-1')], 24_000))).toEqual([
      [204_400, 19_000 - 1_600 + 21_000 - 1_900 - 2_100],
    ]);
  });

  it('a waived amount reduces what is billed at an earlier rate only beyond the rest', () => {
    const earlier = { earlierRateCents: 21_400, earlierRateTaxCents: 1_400, taxIncludedCents: 20_400 };
    const item = { ...coded(140_400, 1_900), ...earlier };
    expect(figures(owedByGroup([item], 11_900))).toEqual([[128_500, 18_500]]);
    expect(figures(owedByGroup([item], 129_700))).toEqual([[10_700, 700]]);
  });

  it('rounding is per line: three items of 10 have 6, not 5', () => {
    const items = [coded(10, 1_900), coded(10, 1_900), coded(10, 1_900)];
    expect(figures(bill(items, [30]).flat())).toEqual([[30, 6]]);
  });

  it('the fee of a cancellation is taxed as the services', () => {
    const items = [coded(119_000, 1_900, 'DE-19'), coded(10_700, 700, 'DE-A7')];
    expect(figures(feeByGroup(items, 50_000))).toEqual([
      [45_875, 7_325],
      [4_125, 270],
    ]);
    expect(figures(feeByGroup([TRIP], 11_900))).toEqual([[11_900, 1_900]]);
    expect(feeByGroup([TRIP], 0)).toEqual([]);
  });

  it('more on documents than is owed is a credit due in its group', () => {
    const billed = sumByGroup(bill([coded(30_000, 1_900)], [30_000]).flat());
    expect(creditDueByGroup([coded(20_000, 1_900)], 0, billed)).toMatchObject([
      { taxCode: 'DE-1900', grossCents: 10_000, taxCents: 1_597, wrongTax: false },
    ]);
    expect(creditDueByGroup([coded(30_000, 1_900)], 10_000, billed)).toMatchObject([{ grossCents: 10_000 }]);
    expect(creditDueByGroup([coded(30_000, 1_900)], 0, billed)).toEqual([]);
  });
});

describe('the shares of an amount', () => {
  it.each([
    [100, [30_000, 70_001], [30, 70]],
    [100, [500, 500, 500], [33, 33, 34]],
    [1, [50, 50], [0, 1]],
    [2, [1, 1, 1], [0, 1, 1]],
    [0, [0, 0], [0, 0]],
  ])('%d in proportion to %j is %j', (amount, parts, shares) => expect(split(parts, amount)).toEqual(shares));

  it('an amount is not split among less than it, or among negative parts', () => {
    expect(() => split([1, 2], 4)).toThrow(RangeError);
    expect(() => split([-1, 5], 1)).toThrow(RangeError);
    expect(() => split([5], -1)).toThrow(RangeError);
  });
});

/** Amounts that are usual in a currency: cents, yen and thousandths of a dinar. */
const CURRENCIES = { EUR: 250_000, JPY: 3_000, KWD: 99_999 };
const RATES = [0, 500, 700, 1_000, 1_600, 1_900, 10_000];

const change = fc.record({
  kind: fc.constantFrom('add', 'price', 'cancel', 'waive', 'bill'),
  index: fc.nat(),
  share: fc.integer({ min: 0, max: 1_000 }),
  rate: fc.constantFrom(null, ...RATES),
});

describe.each(Object.entries(CURRENCIES))('documents in %s', (_currency, most) => {
  it('once everything is billed, the tax on documents is the tax of the items in each group, whatever changed between', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 3, maxLength: 25 }), (changes) => {
        let items: TaxedItem[] = [coded(most, 1_900)];
        let waived = 0;
        let documents: TaxGroup[] = [];
        const owed = () => owedByGroup(items, Math.min(waived, total(items)));
        const billSome = (share: number) => {
          let rests = restByGroup(owed(), sumByGroup(documents));
          const wrong = new Set(wronglyBilled(rests).map(({ key }) => key));
          // Credits the documents of these groups in full first.
          documents = documents.filter(({ key }) => !wrong.has(key));
          rests = restByGroup(owed(), sumByGroup(documents));
          expect(wronglyBilled(rests)).toEqual([]);
          const room = rests.reduce((sum, { grossCents }) => sum + grossCents, 0);
          const amount = Math.floor((room * share) / 1_000);
          const lines = allocateTax(rests, amount);
          expect(lines.reduce((sum, { grossCents }) => sum + grossCents, 0)).toBe(amount);
          for (const { grossCents, taxCents } of lines) {
            expect(taxCents).toBeGreaterThanOrEqual(0);
            expect(taxCents).toBeLessThanOrEqual(grossCents);
          }
          documents = [...documents, ...lines];
        };
        for (const { kind, index, share, rate } of changes) {
          const gross = Math.ceil((most * share) / 1_000);
          const item = rate === null ? given(gross, Math.floor(gross / 7)) : coded(gross, rate);
          const place = index % items.length;
          if (kind === 'add') items = [...items, item];
          if (kind === 'price') items = items.with(place, item);
          if (kind === 'cancel' && items.length > 1) items = items.toSpliced(place, 1);
          if (kind === 'waive') waived = Math.floor(gross / 2);
          if (kind === 'bill') billSome(share);
        }
        billSome(1_000);
        const isSomething = ({ grossCents, taxCents }: TaxGroup) => grossCents !== 0 || taxCents !== 0;
        expect(sumByGroup(documents).filter(isSomething)).toEqual(owed().filter(isSomething));
      }),
      { numRuns: 1_000 },
    );
  });
});

function total(items: readonly TaxedItem[]): number {
  return items.reduce((sum, { totalSellCents }) => sum + totalSellCents, 0);
}
