import { describe, expect, it } from '@jest/globals';
import {
  movePlan,
  moveStep,
  nextAction,
  type PlanStatus,
  type ReservationPlan,
  type StepStatus,
} from './reservation-plan.js';

const NOW = new Date('2026-05-01T10:00:00Z');

/** A plan with one external step for each of these statuses. */
function planWith(status: PlanStatus, ...steps: StepStatus[]): ReservationPlan {
  return {
    id: 'tpln_1',
    envelopeId: 'trip_1',
    attempt: 1,
    status,
    createdAt: NOW,
    updatedAt: NOW,
    steps: steps.map((step, position) => ({
      id: `tstp_${position}`,
      componentId: `tcmp_${position}`,
      position,
      provider: 'simulated',
      providerKey: `key-${position}`,
      status: step,
      offer: {
        componentId: `tcmp_${position}`,
        departureId: null,
        providerRef: 'hotel',
        quantity: 1,
        title: 'Hotel',
        totalCents: 100,
        taxCents: 0,
        currency: 'EUR',
        serviceDate: null,
        cancellationCents: 0,
      },
      holdExpiresAt: null,
      failure: null,
      attempts: 0,
      tries: 0,
      unknownSince: null,
      dueAt: null,
    })),
  };
}

function actionOf(status: PlanStatus, ...steps: StepStatus[]): string {
  const action = nextAction(planWith(status, ...steps));
  return 'step' in action ? `${action.name} ${action.step.position}` : action.name;
}

describe('the next action of a plan', () => {
  it.each<[string, PlanStatus, StepStatus[]]>([
    ['hold 1', 'running', ['held', 'pending', 'pending']],
    ['find 1', 'running', ['held', 'dispatching', 'pending']],
    ['find 1', 'running', ['held', 'unknown', 'pending']],
    ['complete', 'running', ['held', 'held']],
    ['compensate', 'running', ['held', 'failed', 'pending']],
    ['release 1', 'compensating', ['releasing', 'releasing', 'failed', 'pending']],
    ['release 0', 'compensating', ['releasing', 'release_failed', 'failed']],
    ['fail', 'compensating', ['released', 'release_failed', 'failed', 'pending']],
  ])('the next action is "%s" for a plan that is %s with the steps %j', (action, status, steps) => {
    expect(actionOf(status, ...steps)).toBe(action);
  });
});

describe('transitions', () => {
  it('a step that was released cannot be used for another hold', () => {
    const [step] = planWith('running', 'released').steps;
    expect(() => step && moveStep(step, 'held')).toThrow('cannot go from released to held');
  });

  it('a failed plan cannot be booked', () => {
    expect(() => movePlan(planWith('failed'), 'booked')).toThrow('cannot go from failed to booked');
  });
});
