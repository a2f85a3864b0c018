import type { PaymentSchedule } from '../booking-account/payment-schedule.entity.js';
import { dayNumber, dayOf } from './day-numbers.js';

export type RedatingWarning = 'due_after_departure';

interface Move {
  installments: readonly PaymentSchedule[];
  /** The new day of departure. */
  departureDate: string;
  /** The organization's calendar day. */
  today: string;
  /** The earliest due date, in days from today. */
  floorDays: number;
}

/**
 * New due dates after the departure was moved. Open installments that a policy step dates from the departure are due as
 * that step defines, not before the floor or the installment before them, and in no case after the departure. The policy's
 * `minimumDays` is not applied again. Dates that staff set stay. Returns a warning if an open installment is due after the
 * departure.
 */
export function redatePlan({ installments, departureDate, today, floorDays }: Move): RedatingWarning[] {
  const departure = dayNumber(departureDate);
  const earliest = dayNumber(today) + floorDays;
  const live = installments.filter(({ status }) => status !== 'cancelled').sort((a, b) => a.position - b.position);
  let previous = -Infinity;
  for (const installment of live) {
    const { offsetDays } = installment;
    if (installment.isOpen() && installment.dateSource === 'policy' && offsetDays !== null) {
      installment.dueDate = dayOf(Math.min(Math.max(departure + offsetDays, earliest, previous), departure));
    }
    previous = Math.max(previous, dayNumber(installment.dueDate));
  }
  return live.some((one) => one.isDueAfter(departureDate)) ? ['due_after_departure'] : [];
}
