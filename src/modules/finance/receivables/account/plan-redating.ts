import { dayNumber, dayOf } from './day-numbers.js';
import type { PaymentSchedule } from './payment-schedule.entity.js';

export type RedatingWarning = 'due_after_departure';

interface Dates {
  installments: readonly PaymentSchedule[];
  /** The day of departure. */
  departureDate: string;
  /** The organization's calendar day. */
  today: string;
  /** The earliest due date of the policy, in days from today. */
  floorDays: number;
}

/**
 * Sets new due dates after the departure was moved. Open installments that a policy step dates from the departure are due as
 * that step defines, but not before the floor or the previous installment. Installments dated by a policy or by a change of the
 * booking are never due after the departure. The policy's `minimumDays` is not applied again. Dates that staff set stay.
 * Returns a warning if an open installment is due after the departure.
 */
export function redatePlan(dates: Dates): RedatingWarning[] {
  redate(dates, dates.departureDate, (_, date) => date);
  return dates.installments.some((one) => one.isDueAfter(dates.departureDate)) ? ['due_after_departure'] : [];
}

/**
 * Sets new due dates of reopened installments if the departure was moved while they were paid. A date between the day of its
 * policy step and the date that it would get today stays, because the floor of an earlier day set it. Installments that were
 * past due when the booking was confirmed are due on that day, even after the departure.
 */
export function redateReopened(dates: Dates & { confirmedOn: string | null }): void {
  const { departureDate, confirmedOn } = dates;
  const latest = confirmedOn !== null && confirmedOn > departureDate ? confirmedOn : departureDate;
  redate(dates, latest, ({ dueDate }, date, stepDate) => (dueDate < stepDate || date < dueDate ? date : dueDate));
}

/**
 * Sets due dates of open installments, except those dated by staff. `dateOf` receives an installment with a policy step, the
 * date of the step within its bounds, and the date of the step itself.
 */
function redate(
  { installments, departureDate, today, floorDays }: Dates,
  latest: string,
  dateOf: (installment: PaymentSchedule, date: string, stepDate: string) => string,
): void {
  const departure = dayNumber(departureDate);
  const earliest = dayNumber(today) + floorDays;
  // Installments added after the departure are due immediately.
  const latestAddition = latest < today ? today : latest;
  let previous = -Infinity;
  for (const installment of installments.toSorted((a, b) => a.position - b.position)) {
    const { offsetDays, dateSource, dueDate } = installment;
    if (installment.status === 'cancelled') continue;
    if (installment.isOpen() && dateSource === 'policy') {
      if (offsetDays === null) installment.dueDate = dueDate < latestAddition ? dueDate : latestAddition;
      else {
        const date = dayOf(Math.min(Math.max(departure + offsetDays, earliest, previous), dayNumber(latest)));
        installment.dueDate = dateOf(installment, date, dayOf(departure + offsetDays));
      }
    }
    previous = Math.max(previous, dayNumber(installment.dueDate));
  }
}
