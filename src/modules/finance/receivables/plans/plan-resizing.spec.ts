import { describe, expect, it } from '@jest/globals';
import { make } from '../../../../platform/database/rows.js';
import { LockedPlan } from '../account/locked-plan.js';
import { PaymentPlan } from '../account/payment-plan.entity.js';
import { releasesFor, shrinkOpen } from './plan-resizing.js';

const NOW = new Date('2026-03-01T12:00:00Z');

/** Makes a plan with these amounts for a booking whose total has changed. */
function planOf(amounts: readonly number[], { totalCents, offByCents }: { totalCents: number; offByCents: number }) {
  const row = make(PaymentPlan, {
    id: 'plan',
    bookingId: 'book',
    planVersion: 1,
    source: 'none',
    totalCents,
    offByCents,
    isCurrent: true,
    createdAt: NOW,
  });
  const plan = new LockedPlan({ id: 'book', currency: 'EUR', totalCents }, row, []);
  for (const amountCents of amounts) {
    plan.add({ type: 'other', label: 'Part', dueDate: '2026-04-01', amountCents, basis: 'manual' }, NOW);
  }
  return plan;
}

describe('an imported plan below the total of its booking', () => {
  it('an imported plan gets closer to its booking when the total falls below the plan', () => {
    const plan = planOf([500], { totalCents: 200, offByCents: -1000 });
    const left = shrinkOpen(plan, 1300);
    expect(left).toBe(800);
    expect(releasesFor(plan, left)).toEqual([]);
    expect([plan.sumCents(), plan.plan.offByCents]).toEqual([0n, -200]);
  });
});

describe('paid installments', () => {
  it('paid installments release their money the latest first, and no more than there is', () => {
    const plan = planOf([100, 200], { totalCents: 50, offByCents: 0 });
    for (const entry of plan.installments) Object.assign(entry, { paidCents: entry.amountCents, status: 'paid' });
    const [first, second] = plan.installments;
    expect(releasesFor(plan, 250)).toEqual([
      { scheduleId: second?.id, cents: 200 },
      { scheduleId: first?.id, cents: 50 },
    ]);
  });
});
