import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError } from '../../../../platform/errors/app-error.js';
import { make } from '../../../../platform/database/rows.js';
import { dayNumber, dayOf } from '../account/day-numbers.js';
import { LockedPlan } from '../account/locked-plan.js';
import { PaymentPlan } from '../account/payment-plan.entity.js';
import { growPlan, releasesFor, shrinkOpen } from './plan-resizing.js';
import { reduceOthers } from './rebalance.js';
import { editInstallment, type InstallmentChanges } from './installment-editing.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const TODAY = '2026-03-01';

interface Model {
  plan: LockedPlan;
  booking: { id: string; currency: string; totalCents: number };
  invoiced: Set<string>;
}

/** Makes a plan with these amounts, due ten days apart. */
function begin(amounts: readonly number[]): Model {
  const totalCents = amounts.reduce((sum, amount) => sum + amount, 0);
  const booking = { id: 'book', currency: 'EUR', totalCents };
  const row = make(PaymentPlan, {
    id: 'plan',
    bookingId: booking.id,
    planVersion: 1,
    source: 'none',
    totalCents,
    offByCents: 0,
    isCurrent: true,
    createdAt: NOW,
  });
  const invoiced = new Set<string>();
  const plan = new LockedPlan(booking, row, [], invoiced);
  for (const [index, amountCents] of amounts.entries()) {
    const dueDate = dayOf(dayNumber(TODAY) + 10 * index);
    plan.add({ type: 'installment', label: 'Part', dueDate, amountCents, basis: 'manual' }, NOW);
  }
  return { plan, booking, invoiced };
}

type Operation = (model: Model) => void;
const nth = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

const changes: fc.Arbitrary<InstallmentChanges> = fc.record(
  {
    dueDate: fc.integer({ min: -20, max: 90 }).map((days) => dayOf(dayNumber(TODAY) + days)),
    amountCents: fc.integer({ min: 1, max: 400 }),
    status: fc.constantFrom('pending' as const, 'cancelled' as const),
  },
  { requiredKeys: [] },
);

const edits = fc
  .record({ which: fc.nat(20), changes, rebalance: fc.constantFrom('last_open' as const, 'none' as const) })
  .map(({ which, changes: wanted, rebalance }): Operation => ({ plan }) => {
    const entry = nth(plan.installments, which);
    const rules = { rebalance, allowAfterDeparture: false, departureDate: '2026-05-01', today: TODAY, now: NOW };
    if (entry) editInstallment(plan, entry, { changes: wanted, rules });
  });

const additions = fc.integer({ min: 1, max: 200 }).map((amountCents): Operation => ({ plan }) => {
  const entry = plan.add({ type: 'other', label: 'More', dueDate: TODAY, amountCents, basis: 'manual' }, NOW);
  reduceOthers(plan, entry, amountCents);
});

/** Applies a payment to an installment, and its reversal. */
const payments = fc
  .record({ which: fc.nat(20), part: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ which, part }): Operation => ({ plan }) => {
    const entry = nth(
      plan.installments.filter(({ status }) => status !== 'cancelled'),
      which,
    );
    if (!entry) return;
    entry.paidCents = Math.round(part * entry.amountCents);
    entry.resize(entry.amountCents);
  });

const invoices = fc.nat(20).map((which): Operation => ({ plan, invoiced }) => {
  const entry = nth(
    plan.installments.filter(({ status }) => status !== 'cancelled'),
    which,
  );
  if (entry) invoiced.add(entry.id);
});

const totals = fc.nat(900).map((totalCents): Operation => ({ plan, booking, invoiced }) => {
  // A new price also changes billed installments; their excess becomes credit due.
  invoiced.clear();
  const more = totalCents - booking.totalCents;
  booking.totalCents = totalCents;
  if (more > 0) growPlan(plan, { cents: more, departureDate: null, today: TODAY, now: NOW });
  else if (more < 0) {
    const left = shrinkOpen(plan, -more);
    for (const { scheduleId, cents } of left > 0 ? releasesFor(plan, left) : []) {
      const entry = plan.find(scheduleId);
      if (!entry) throw new Error('Released what is not there');
      entry.paidCents -= cents;
      entry.reduce(cents);
    }
  }
});

/** Runs an operation like a transaction: an error leaves everything unchanged. */
function attempt(model: Model, operate: Operation): Model {
  const before = structuredClone({ entries: model.plan.installments.map((entry) => ({ ...entry })), ...model.booking });
  try {
    operate(model);
    return model;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { entries, totalCents } = before;
    model.booking.totalCents = totalCents;
    model.plan.installments.length = entries.length;
    for (const [index, entry] of entries.entries()) Object.assign(model.plan.installments[index] ?? {}, entry);
    model.plan.plan.offByCents = 0;
    return model;
  }
}

/** Returns the violations of a plan; empty if there are none. */
function faultsOf({ plan, booking }: Model): string[] {
  const off = plan.sumCents() - BigInt(booking.totalCents);
  const entries = plan.installments.flatMap(({ position, amountCents, paidCents, status, waived }) => {
    const isPaid = paidCents === amountCents && status !== 'cancelled';
    const isRight =
      amountCents > 0 &&
      paidCents >= 0 &&
      paidCents <= amountCents &&
      (status === 'paid') === isPaid &&
      (status !== 'cancelled' || paidCents === 0) &&
      (!waived || status === 'cancelled');
    return isRight ? [] : [`${position}: ${status} ${paidCents} of ${amountCents}`];
  });
  return [...(off === 0n && plan.plan.offByCents === 0 ? [] : [`off by ${off}`]), ...entries];
}

describe('a plan under random changes', () => {
  it('a plan under random changes always adds up to its booking, and invoiced installments keep their amounts', () => {
    const starts = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 });
    const operations = fc.array(fc.oneof(edits, edits, additions, payments, invoices, totals), { maxLength: 30 });
    fc.assert(
      fc.property(starts, operations, (start, list) => {
        const model = begin(start);
        for (const operate of list) {
          const billed = model.plan.installments
            .filter(({ id }) => model.invoiced.has(id))
            .map((entry) => ({ entry, amountCents: entry.amountCents }));
          attempt(model, operate);
          const invoiced = billed.filter(({ entry }) => model.invoiced.has(entry.id));
          const amounts = invoiced.map(({ amountCents }) => amountCents);
          const kept = invoiced.map(({ entry }) => entry.amountCents);
          expect([faultsOf(model), kept]).toEqual([[], amounts]);
        }
      }),
      { numRuns: 500 },
    );
  });
});
