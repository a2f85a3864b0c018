import { describe, expect, it } from '@jest/globals';
import type { PaymentPolicy, PolicyStep } from '../../../bookings/index.js';
import { computePlan, type PlanInput } from './plan.js';

const TODAY = '2026-03-01';

const step = (over: Partial<PolicyStep>): PolicyStep => ({
  label: 'Step',
  type: 'installment',
  percentBasisPoints: null,
  fixedCents: null,
  remainder: false,
  anchor: 'booking',
  offsetDays: 0,
  ...over,
});

const deposit = (over: Partial<PolicyStep> = {}) =>
  step({ label: 'Deposit', type: 'deposit', percentBasisPoints: 3000, ...over });
const balance = (over: Partial<PolicyStep> = {}) =>
  step({ label: 'Balance', type: 'balance', remainder: true, anchor: 'departure', offsetDays: -30, ...over });

const policy = (over: Partial<PaymentPolicy> = {}): PaymentPolicy => ({
  steps: [deposit(), balance()],
  minimumDays: 45,
  floorDays: 3,
  noDateDays: null,
  roundToCents: null,
  ...over,
});

const plan = (over: Partial<PlanInput> = {}) =>
  computePlan({ totalCents: 100_001, today: TODAY, departureDate: '2026-06-01', policy: policy(), ...over });

const dues = (over: Partial<PlanInput> = {}) =>
  plan(over).entries.map(({ amountCents, dueDate }) => [amountCents, dueDate]);

describe('the worked examples of the collection plan', () => {
  const examples: [string, Partial<PlanInput>, [number, string][]][] = [
    [
      'a departure far away',
      {},
      [
        [30_000, TODAY],
        [70_001, '2026-05-02'],
      ],
    ],
    ['40 days, fewer than the minimum', { departureDate: '2026-04-10' }, [[100_001, TODAY]]],
    [
      '45 days, the minimum',
      { departureDate: '2026-04-15' },
      [
        [30_000, TODAY],
        [70_001, '2026-03-16'],
      ],
    ],
    [
      'a balance before the floor',
      { departureDate: '2026-04-15', policy: policy({ steps: [deposit(), balance({ offsetDays: -60 })] }) },
      [
        [30_000, TODAY],
        [70_001, '2026-03-04'],
      ],
    ],
    [
      '10 001 yen',
      { totalCents: 10_001 },
      [
        [3_000, TODAY],
        [7_001, '2026-05-02'],
      ],
    ],
    ['a deposit that rounds to 0', { totalCents: 1 }, [[1, '2026-05-02']]],
    [
      'a deposit of 0 %',
      { policy: policy({ steps: [deposit({ percentBasisPoints: 0 }), balance()] }) },
      [[100_001, '2026-05-02']],
    ],
    [
      'a deposit of 100 %',
      { policy: policy({ steps: [deposit({ percentBasisPoints: 10_000 }), balance()] }) },
      [[100_001, TODAY]],
    ],
    ['a departure today', { departureDate: TODAY }, [[100_001, TODAY]]],
    ['a departure yesterday', { departureDate: '2026-02-28' }, [[100_001, TODAY]]],
    [
      'a departure before the floor',
      { departureDate: '2026-03-05', policy: policy({ minimumDays: 0, floorDays: 10 }) },
      [
        [30_000, TODAY],
        [70_001, '2026-03-05'],
      ],
    ],
    [
      'a balance that would be due in the past, without a floor',
      { departureDate: '2026-03-05', policy: policy({ minimumDays: 0, floorDays: 0 }) },
      [[100_001, TODAY]],
    ],
  ];

  it.each(examples)('the collection plan of the worked example is correct: %s', (_, input, expected) =>
    expect(dues(input)).toEqual(expected),
  );

  it('100 in three steps of 3333 bp, 3333 bp and the remainder are 33, 33 and 34', () => {
    const steps = [
      deposit({ percentBasisPoints: 3333 }),
      step({ percentBasisPoints: 3333, offsetDays: 10 }),
      balance({ anchor: 'booking', offsetDays: 20 }),
    ];
    expect(dues({ totalCents: 100, policy: policy({ steps }) }).map(([amount]) => amount)).toEqual([33, 33, 34]);
  });

  it('the worked examples warn of a past departure, and of nothing else', () => {
    expect(plan({ departureDate: '2026-02-28' }).warnings).toEqual(['departure_past']);
    expect(plan({ departureDate: '2026-02-28', policy: null }).warnings).toEqual(['departure_past']);
    expect(plan({ departureDate: TODAY }).warnings).toEqual([]);
    expect(plan().warnings).toEqual([]);
  });
});

describe('a collection plan', () => {
  it('a collection plan names its entries after their steps', () => {
    expect(plan().entries).toEqual([
      { type: 'deposit', label: 'Deposit', dueDate: TODAY, amountCents: 30_000, basis: 'booking', offsetDays: null },
      {
        type: 'balance',
        label: 'Balance',
        dueDate: '2026-05-02',
        amountCents: 70_001,
        basis: 'departure',
        offsetDays: -30,
      },
    ]);
  });

  it('a collection plan without a policy is the whole amount today, because there is no default percentage', () => {
    const whole = {
      type: 'balance',
      label: 'Full payment',
      dueDate: TODAY,
      amountCents: 100_001,
      basis: 'full',
      offsetDays: null,
    };
    expect(plan({ policy: null }).entries).toEqual([whole]);
  });

  it('a collection plan of one entry has the type balance and the label Full payment', () => {
    const steps = [deposit({ percentBasisPoints: 10_000 }), balance()];
    expect(plan({ policy: policy({ steps }) }).entries).toEqual([
      {
        type: 'balance',
        label: 'Full payment',
        dueDate: TODAY,
        amountCents: 100_001,
        basis: 'booking',
        offsetDays: null,
      },
    ]);
  });

  it('a collection plan of a total of 0 has no entries', () =>
    expect(plan({ totalCents: 0 })).toEqual({ entries: [], warnings: [] }));

  it('a collection plan without a departure date is due today, and steps relative to the departure in noDateDays', () => {
    expect(dues({ departureDate: null })).toEqual([[100_001, TODAY]]);
    expect(dues({ departureDate: null, policy: policy({ noDateDays: 14 }) })).toEqual([
      [30_000, TODAY],
      [70_001, '2026-03-15'],
    ]);
    expect(dues({ departureDate: null, policy: policy({ noDateDays: 0 }) })).toEqual([[100_001, TODAY]]);
  });

  it('a collection plan rounds percentages to the multiple, half up and once, and keeps fixed amounts', () => {
    const steps = [deposit({ percentBasisPoints: 2499 }), balance()];
    expect(dues({ totalCents: 10_000, policy: policy({ steps, roundToCents: 1000 }) })[0]).toEqual([2000, TODAY]);
    // Rounding twice would turn 24.95 into 25 and then 30.
    const twice = [deposit({ percentBasisPoints: 2495 }), balance()];
    expect(dues({ totalCents: 100, policy: policy({ steps: twice, roundToCents: 10 }) })[0]).toEqual([20, TODAY]);
    const fixed = [deposit({ percentBasisPoints: null, fixedCents: 150 }), balance()];
    expect(dues({ policy: policy({ steps: fixed, roundToCents: 100 }) })[0]).toEqual([150, TODAY]);
  });

  it('a fixed deposit above the total becomes the whole total', () => {
    const steps = [deposit({ percentBasisPoints: null, fixedCents: 50_000 }), balance()];
    expect(dues({ totalCents: 40_000, policy: policy({ steps }) })).toEqual([[40_000, TODAY]]);
  });

  it('the remainder of a collection plan gets the rest also if other steps follow it', () => {
    const steps = [
      balance({ anchor: 'booking', offsetDays: 0 }),
      step({ percentBasisPoints: 1000, anchor: 'departure', offsetDays: -10 }),
    ];
    expect(dues({ totalCents: 1000, policy: policy({ steps }) })).toEqual([
      [900, TODAY],
      [100, '2026-05-22'],
    ]);
  });

  it('a collection plan has one entry per day: a balance keeps its type, otherwise the first step determines it', () => {
    const steps = [deposit(), step({ label: 'Second', fixedCents: 100 }), balance()];
    expect(plan({ policy: policy({ steps }) }).entries[0]).toMatchObject({ type: 'deposit', amountCents: 30_100 });
    const last = [deposit(), step({ label: 'Second', fixedCents: 100, offsetDays: 62 }), balance()];
    expect(plan({ policy: policy({ steps: last }) }).entries[1]).toEqual({
      type: 'balance',
      label: 'Balance',
      dueDate: '2026-05-02',
      amountCents: 70_001,
      basis: 'departure',
      offsetDays: -30,
    });
  });

  it('a step of a collection plan is never due before the previous one', () => {
    const steps = [deposit({ offsetDays: 20 }), step({ fixedCents: 1, offsetDays: 5 }), balance()];
    expect(dues({ policy: policy({ steps }) })).toEqual([
      [30_001, '2026-03-21'],
      [70_000, '2026-05-02'],
    ]);
  });

  it('no step of a collection plan is due after the departure, also if it counts from the booking', () => {
    const steps = [deposit({ offsetDays: 200 }), balance()];
    expect(dues({ policy: policy({ steps }) })).toEqual([[100_001, '2026-06-01']]);
  });
});
