import { describe, expect, it } from '@jest/globals';
import { make } from '../../../../platform/database/rows.js';
import { PaymentSchedule } from './payment-schedule.entity.js';
import { redatePlan, redateReopened } from './plan-redating.js';

const TODAY = '2026-11-22';

function installment(over: Partial<PaymentSchedule>): PaymentSchedule {
  const base = { position: 1, status: 'pending', dueDate: '2027-01-31', dateSource: 'policy', offsetDays: -30 };
  return Object.assign(make(PaymentSchedule, {} as PaymentSchedule), base, over);
}
const balance = (over: Partial<PaymentSchedule> = {}) => installment({ position: 2, ...over });
const move = (installments: PaymentSchedule[], departureDate: string) => {
  const warnings = redatePlan({ installments, departureDate, today: TODAY, floorDays: 3 });
  return { dates: installments.map(({ dueDate }) => dueDate), warnings };
};

describe('due dates of a moved departure', () => {
  it.each([
    ['2027-01-01', '2026-12-02'],
    ['2026-11-30', '2026-11-25'],
    ['2026-11-23', '2026-11-23'],
    ['2027-06-01', '2027-05-02'],
  ])('a balance 30 days before a departure that moves to %s is due on %s', (departureDate, dueDate) => {
    expect(move([balance()], departureDate)).toEqual({ dates: [dueDate], warnings: [] });
  });

  it('moving a departure there and back restores the dates', () => {
    const installments = [installment({ offsetDays: null, dueDate: '2026-11-22' }), balance()];
    move(installments, '2027-01-01');
    expect(move(installments, '2027-03-02').dates).toEqual(['2026-11-22', '2027-01-31']);
  });

  it('a date that staff set stays, and is reported if it is after the departure', () => {
    expect(move([balance({ dateSource: 'manual' })], '2027-01-01')).toEqual({
      dates: ['2027-01-31'],
      warnings: ['due_after_departure'],
    });
    expect(move([balance({ dateSource: 'manual' })], '2027-02-01').warnings).toEqual([]);
  });

  it('a paid and a cancelled installment keep their dates, and give no warning', () => {
    const installments = [balance({ status: 'paid' }), balance({ status: 'cancelled', position: 3 })];
    expect(move(installments, '2027-01-01')).toEqual({ dates: ['2027-01-31', '2027-01-31'], warnings: [] });
  });

  it('an installment that follows one that staff set after the departure is due on the departure', () => {
    const deposit = installment({ dateSource: 'manual', dueDate: '2027-01-20' });
    expect(move([deposit, balance()], '2027-01-01')).toEqual({
      dates: ['2027-01-20', '2027-01-01'],
      warnings: ['due_after_departure'],
    });
  });

  it('an installment is never due before the one before it', () => {
    const deposit = installment({ offsetDays: null, dueDate: '2026-12-20' });
    expect(move([balance(), deposit], '2027-01-01').dates).toEqual(['2026-12-20', '2026-12-20']);
  });
});

describe('an installment that staff have not dated and no policy step dates', () => {
  it.each([
    ['2027-02-01', '2027-01-31'],
    ['2027-01-01', '2027-01-01'],
  ])('an amendment due on 31 January is due on %s at the latest', (departureDate, dueDate) => {
    expect(move([balance({ offsetDays: null, basis: 'amendment' })], departureDate).dates).toEqual([dueDate]);
  });

  it('an addition after the departure is due today', () => {
    expect(move([balance({ offsetDays: null, basis: 'amendment', dueDate: TODAY })], '2026-11-01').dates).toEqual([
      TODAY,
    ]);
  });
});

describe('due dates of installments that are open again', () => {
  const reopen = (over: Partial<PaymentSchedule>, departureDate: string, confirmedOn: string | null = null) => {
    const installments = [balance(over)];
    redateReopened({ installments, departureDate, confirmedOn, today: TODAY, floorDays: 3 });
    return installments[0]?.dueDate;
  };

  it.each([
    ['the departure was moved to an earlier day', '2027-01-01', '2026-12-02'],
    ['the departure was moved to an earlier day within the floor', '2026-11-24', '2026-11-24'],
    ['the departure was moved to a later day', '2027-06-01', '2027-05-02'],
    ['the departure was not moved', '2027-03-02', '2027-01-31'],
  ])('%s: a balance 30 days before the departure %s is due on %s', (_, departureDate, dueDate) => {
    expect(reopen({}, departureDate)).toBe(dueDate);
  });

  it('a date that the floor or staff have set stays', () => {
    expect(reopen({ dueDate: '2026-11-20' }, '2026-12-10')).toBe('2026-11-20');
    expect(reopen({ dateSource: 'manual', dueDate: '2027-06-01' }, '2027-01-01')).toBe('2027-06-01');
  });

  it('what was past due at a confirmation after the departure stays due on that day', () => {
    expect(reopen({ dueDate: '2026-11-21' }, '2026-11-10', '2026-11-21')).toBe('2026-11-21');
    expect(reopen({ dueDate: '2026-11-21' }, '2026-11-10', '2026-10-01')).toBe('2026-11-10');
  });
});
