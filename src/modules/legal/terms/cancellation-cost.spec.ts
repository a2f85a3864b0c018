import { describe, expect, it } from '@jest/globals';
import type { PolicyRule } from '../policy-versions/policy-rule.js';
import { cancellationCost, type CancellationPolicy, type CancelledSale, lastRefundDays } from './cancellation-cost.js';

const rule = (values: Partial<PolicyRule> = {}): PolicyRule => ({
  position: 0,
  type: 'window',
  daysBeforeDeparture: null,
  refundBasisPoints: null,
  refundType: null,
  flatAmountCents: null,
  currency: null,
  validFrom: null,
  validTo: null,
  ...values,
});
const window = (position: number, [daysBeforeDeparture, refundBasisPoints]: [number, number], more = {}) =>
  rule({ position, daysBeforeDeparture, refundBasisPoints, ...more });

/** Refunds 100 % until 30 days before, 50 % until 14 days, and nothing after that. */
const STEPS = [window(0, [30, 10_000]), window(1, [14, 5_000]), window(2, [0, 0])];

const policy = (rules: PolicyRule[], values: Partial<CancellationPolicy> = {}): CancellationPolicy => ({
  policyVersionId: 'polv_1',
  productIds: null,
  rules,
  ...values,
});
const item = (totalCents: number, values: { productId?: string; refundable?: boolean } = {}) => ({
  productId: null,
  refundable: true,
  totalCents,
  ...values,
});
/** Cancelled `days` before a departure on 2027-07-31. */
function sale(days: number, items: CancelledSale['items'], more: Partial<CancelledSale> = {}): CancelledSale {
  const cancelledOn = new Date(Date.UTC(2027, 6, 31 - days)).toISOString().slice(0, 10);
  return { currency: 'EUR', cancelledOn, departureDate: '2027-07-31', initiator: 'customer', items, ...more };
}
const feeFor = (rules: PolicyRule[], [days, cents]: [number, number], more: Partial<CancelledSale> = {}) =>
  cancellationCost([policy(rules)], sale(days, [item(cents)], more)).feeCents;

describe('the cost of a cancellation', () => {
  it.each<[string, [number, number], number]>([
    ['31 days before, all is refunded', [31, 100_001], 0],
    ['30 days before, all is refunded', [30, 100_001], 0],
    ['29 days before, half is refunded', [29, 100_001], 50_000],
    ['20 days before, half is refunded, rounded half up', [20, 100_001], 50_000],
    ['14 days before, JPY 10001 keeps 5000', [14, 10_001], 5_000],
    ['13 days before, nothing is refunded', [13, 100_001], 100_001],
    ['3 days before, nothing is refunded', [3, 100_001], 100_001],
    ['on the day of departure, nothing is refunded', [0, 100_001], 100_001],
    ['after the departure, nothing is refunded', [-1, 100_001], 100_001],
    ['nothing costs nothing', [3, 0], 0],
  ])('%s', (_, sold, fee) => expect(feeFor(STEPS, sold)).toBe(fee));

  it('KWD 12345 refunded at 3333 basis points keeps 8230', () => {
    expect(feeFor([window(0, [0, 3_333])], [5, 12_345], { currency: 'KWD' })).toBe(8_230);
  });

  it('after the departure no rule applies, also none that would refund everything', () => {
    const { lines } = cancellationCost([policy([rule({ refundBasisPoints: 10_000 })])], sale(-1, [item(500)]));
    expect(lines).toMatchObject([{ rulePosition: null, daysBefore: -1, baseCents: 500, feeCents: 500 }]);
  });

  it('without a matching rule the fee is the price', () =>
    expect(feeFor([window(0, [30, 10_000])], [29, 700])).toBe(700));

  it('the rule with the most days wins, a rule without days is last, and equal days go by position', () => {
    const rules = [
      rule({ position: 0, refundBasisPoints: 1_000 }),
      window(1, [10, 2_000]),
      window(2, [20, 3_000]),
      window(3, [20, 4_000]),
    ];
    const decided = (days: number) =>
      cancellationCost([policy([...rules].reverse())], sale(days, [item(100)])).lines[0]?.rulePosition;
    expect([25, 20, 15, 5].map(decided)).toEqual([2, 2, 1, 0]);
  });

  it('a rule applies only if its validity contains the departure date', () => {
    const rules = [
      window(0, [0, 10_000], { validFrom: '2027-08-01' }),
      window(1, [0, 9_000], { validTo: '2027-07-30' }),
      window(2, [0, 8_000], { validFrom: '2027-07-31', validTo: '2027-07-31' }),
    ];
    expect(feeFor(rules, [5, 1_000])).toBe(200);
  });

  it.each([
    ['a flat amount alone is the fee', { flatAmountCents: 300 }, 300],
    ['a flat amount never exceeds the price', { flatAmountCents: 3_000 }, 1_000],
    ['a flat amount above the percentage is the fee', { refundBasisPoints: 9_000, flatAmountCents: 300 }, 300],
    ['a percentage above the flat amount is the fee', { refundBasisPoints: 5_000, flatAmountCents: 300 }, 500],
    ['both never exceed the price', { refundBasisPoints: 5_000, flatAmountCents: 3_000 }, 1_000],
  ])('%s', (_, values, fee) => {
    expect(feeFor([rule({ type: 'flat_amount', currency: 'EUR', ...values })], [5, 1_000])).toBe(fee);
  });

  it.each([
    ['a custom rule', rule({ type: 'custom', refundBasisPoints: 5_000 })],
    ['a flat amount in another currency', rule({ type: 'flat_amount', flatAmountCents: 300, currency: 'USD' })],
    ['a rule without an amount', window(0, [0, 0], { refundBasisPoints: null })],
  ])('%s is left to staff', (_, one) => expect(feeFor([one], [5, 1_000])).toBeNull());

  it('rules that depend on the departure are left to staff while the sale has no date; others apply', () => {
    expect(feeFor(STEPS, [5, 1_000], { departureDate: null })).toBeNull();
    expect(feeFor([rule({ refundBasisPoints: 4_000 })], [5, 1_000], { departureDate: null })).toBe(600);
  });

  it('items that are not refundable are kept in full and are no part of the base', () => {
    const { lines, feeCents } = cancellationCost(
      [policy(STEPS)],
      sale(20, [item(100_001), item(5_000, { refundable: false })]),
    );
    expect(lines).toMatchObject([{ baseCents: 100_001, feeCents: 55_000 }]);
    expect(feeCents).toBe(55_000);
  });

  it('each version applies to the items of its products, the general one to all others', () => {
    const policies = [
      policy(STEPS),
      policy([rule({ position: 4, refundBasisPoints: 10_000, refundType: 'credit' })], {
        policyVersionId: 'polv_2',
        productIds: ['a', 'b'],
      }),
    ];
    const items = [item(1_000, { productId: 'a' }), item(300, { productId: 'c' }), item(200)];
    expect(cancellationCost(policies, sale(3, items))).toEqual({
      lines: [
        {
          policyVersionId: 'polv_1',
          rulePosition: 2,
          daysBefore: 3,
          baseCents: 500,
          refundBasisPoints: 0,
          feeCents: 500,
          refundType: null,
        },
        {
          policyVersionId: 'polv_2',
          rulePosition: 4,
          daysBefore: 3,
          baseCents: 1_000,
          refundBasisPoints: 10_000,
          feeCents: 0,
          refundType: 'credit',
        },
      ],
      feeCents: 500,
      outcome: 'credit',
      warnings: [],
    });
  });

  it('a discount lowers the fee in proportion, and the fee is never below 0', () => {
    expect(cancellationCost([policy(STEPS)], sale(20, [item(1_000), item(-200)])).feeCents).toBe(400);
    const free = policy([rule({ refundBasisPoints: 10_000 })], { policyVersionId: 'polv_2', productIds: ['a'] });
    const items = [item(1_000, { productId: 'a' }), item(-200)];
    expect(cancellationCost([policy(STEPS), free], sale(3, items)).feeCents).toBe(0);
  });

  it('without terms only items that are not refundable cost something, with a warning', () => {
    const items = [item(1_000), item(200, { refundable: false })];
    expect(cancellationCost([], sale(3, items))).toMatchObject({
      lines: [{ policyVersionId: null, rulePosition: null, baseCents: 1_000, feeCents: 200 }],
      feeCents: 200,
      warnings: ['no_cancellation_terms'],
    });
    expect(cancellationCost([], sale(3, [item(1_000)])).feeCents).toBe(0);
  });

  it.each(['operator', 'force_majeure'] as const)('a cancellation by %s costs nothing', (initiator) => {
    const items = [item(1_000), item(200, { refundable: false })];
    expect(cancellationCost([policy(STEPS)], sale(3, items, { initiator }))).toMatchObject({
      lines: [{ rulePosition: null, baseCents: 1_000, feeCents: 0 }],
      feeCents: 0,
      outcome: 'refund',
      warnings: [],
    });
  });

  it.each([
    ['credit', 'credit'],
    ['cash', 'refund'],
    ['cash_or_credit', 'refund'],
    ['none', 'refund'],
    [null, 'refund'],
  ] as const)('with the refund type %s the rest is a %s', (refundType, outcome) => {
    const rules = [rule({ refundBasisPoints: 5_000, refundType })];
    expect(cancellationCost([policy(rules)], sale(3, [item(1_000)])).outcome).toBe(outcome);
  });
});

describe('the last day of a refund', () => {
  const daysOf = (rules: PolicyRule[] | null) => {
    const policies = rules ? [policy(rules)] : [];
    return lastRefundDays(policies, { productId: 'tour', today: '2027-01-01' });
  };

  it.each([
    ['the steps of a policy', STEPS, 14],
    ['a refund until the departure', [window(0, [0, 2_500])], 0],
    ['no refund at all', [window(0, [0, 0])], 3_650],
    ['no rule', [], 3_650],
    ['a flat fee, about which staff decide', [rule({ type: 'flat_amount', flatAmountCents: 900, currency: 'EUR' })], 0],
    ['no policy', null, 0],
  ])('with %s a cancellation refunds something until the right day', (_, rules, days) => {
    expect(daysOf(rules)).toBe(days);
  });
});
