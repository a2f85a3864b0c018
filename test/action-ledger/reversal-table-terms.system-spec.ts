import { beforeAll, describe, expect, it } from '@jest/globals';
import { ReminderJobs } from '../../src/modules/notifications/planning/reminders.jobs.js';
import { bookingWith } from '../finance/payments/bookings.js';
import { contractIn, declareVoid, read as readContract } from '../legal/contracts.js';
import { aProduct, assigned, ASSIGNMENTS, entriesOf, eventsOf, readAssignment, resolve } from '../legal/policies.js';
import { newRule, onlyOwnRules, readRule, type Rule, RULES, type Run, runsOf } from '../notifications/reminders.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { blocked, itself, REASON, reversed } from './reversals.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  // Jobs are disabled: only the tests plan and send reminders.
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

describe('legal.contract.issue and legal.contract.send', () => {
  it.each([
    ['issued', 'legal.contract.issue'],
    ['sent', 'legal.contract.send'],
  ] as const)('the reversal for a contract that is %s voids the contract with the reason', async (status, action) => {
    const terms = { recipientEmail: 'ada@example.com' };
    const { id, reference, contractNumber } = await contractIn(app, status, terms);

    await reversed(app, reference, action);

    expect(await readContract(app, id)).toMatchObject({ status: 'void', voidReason: REASON, contractNumber });
  });

  it('the reversal is blocked if the contract is void', async () => {
    const { id, reference } = await contractIn(app, 'issued');
    await declareVoid(app, id);

    expect(await blocked(app, reference, 'legal.contract.issue')).toMatchObject({
      reason: 'invalid_transition',
      from: 'void',
    });
  });

  it('the reversal is blocked if the contract is signed', async () => {
    const { reference } = await contractIn(app, 'signed');

    expect(await blocked(app, reference, 'legal.contract.issue')).toMatchObject({
      reason: 'invalid_transition',
      from: 'signed',
    });
  });
});

describe('legal.policy_assignment.remove', () => {
  const ACTION = 'legal.policy_assignment.remove';
  const remove = (id: string) => staff.delete(`${ASSIGNMENTS}/${id}`);

  it('the reversal restores the assignment, publishes it, and the assignment determines the terms again', async () => {
    const target = aProduct();
    const { assignment } = await assigned(app, 'cancellation', {
      ...target,
      ...{ validFrom: '2026-01-01', validTo: '2031-12-31', priority: 3 },
    });
    const criteria = { kind: 'cancellation', productId: target.targetId };
    await remove(assignment.id);
    expect((await resolve(app, criteria)).data?.assignment.id).not.toBe(assignment.id);

    const { before, outcome } = await reversed(app, assignment.id, ACTION);

    expect(outcome).toBe('full');
    expect(before).toMatchObject({ removedAt: expect.any(String), removedBy: expect.any(String) });
    expect(itself(await readAssignment(app, assignment.id))).toEqual(itself(assignment));
    expect((await resolve(app, criteria)).data?.assignment.id).toBe(assignment.id);
    expect((await eventsOf(app, 'assignmentId', assignment.id)).at(-1)).toBe('policy_assignment.restored');
    expect((await entriesOf(app, assignment.id)).map(({ action }) => action)).toEqual([
      ...['legal.policy_assignment.create', ACTION, `${ACTION}.reverse`],
    ]);
  });

  it('the reversal is blocked if another assignment of its kind, target and priority is valid at that time', async () => {
    const target = aProduct();
    const { assignment } = await assigned(app, 'payment', target);
    await remove(assignment.id);
    const other = await assigned(app, 'payment', target);

    expect(await blocked(app, assignment.id, ACTION)).toEqual({ reason: 'policy_assignment_overlap' });
    await remove(other.assignment.id);
    await reversed(app, assignment.id, ACTION);
  });
});

describe('notifications.reminder_rule.compose', () => {
  const ACTION = 'notifications.reminder_rule.compose';
  const stages = [{ offsetDays: -7, channels: [{ channel: 'email' }, { channel: 'sms' }] }];
  const inAMonth = () => app.day(30);

  async function plannedRule(): Promise<{ rule: Rule; runs: () => Promise<Run[]> }> {
    await onlyOwnRules(app);
    const { id: bookingId } = await bookingWith(app, { installments: [[inAMonth(), 100]] });
    const rule = await newRule(app, { trigger: 'installment_due', stages });
    await app.nest.get(ReminderJobs, { strict: false }).plan({ ruleId: rule.id });
    return { rule, runs: () => runsOf(app, bookingId, rule.id) };
  }
  const states = (runs: Run[]) => runs.map(({ status, reason }) => [status, reason]).sort();

  it('the reversal disables the rule and cancels the reminders that it planned', async () => {
    const { rule, runs } = await plannedRule();
    expect(states(await runs())).toEqual([
      ['planned', null],
      ['planned', null],
    ]);

    const { outcome } = await reversed(app, rule.id, ACTION);

    expect(outcome).toBe('full');
    const { planning: _planning, ...composed } = itself(rule);
    expect(await readRule(app, rule.id)).toMatchObject({ ...composed, enabled: false });
    expect(states(await runs())).toEqual([
      ['cancelled', 'rule_disabled'],
      ['cancelled', 'rule_disabled'],
    ]);
  });

  it.each([
    ['sent', null],
    ['sending', null],
    ['failed', 'outcome_unknown'],
  ])(
    'the reversal is partial if one of its messages may have been sent (%s, %s): that one is kept',
    async (status, reason) => {
      const { rule, runs } = await plannedRule();
      const [sent] = await runs();
      await app.sql(
        `update reminder_runs set status = $1, reason = $2, sent_on = case when $1 = 'sent' then current_date end where id = $3`,
        [status, reason, sent?.id],
      );

      const { outcome } = await reversed(app, rule.id, ACTION);

      expect(outcome).toBe('partial');
      expect(states(await runs())).toEqual([
        ['cancelled', 'rule_disabled'],
        [status, reason],
      ]);
    },
  );

  it('the reversal is blocked if the rule is disabled already', async () => {
    const { rule } = await plannedRule();
    await staff.patch(`${RULES}/${rule.id}`, { enabled: false });

    expect(await blocked(app, rule.id, ACTION)).toEqual({ reason: 'reminder_rule_disabled' });
  });
});
