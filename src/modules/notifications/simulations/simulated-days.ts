import { wallTimeOf } from '../../../platform/time/local-time.js';
import type { ReminderStage } from '../rules/reminder-rule.entity.js';
import { dayNumber, dayOfNumber, dueAt, runTime } from '../timing/run-time.js';
import { MAX_DELAY_DAYS, type SendingWindow } from '../timing/sending-window.js';

/** When a stage falls due for targets of one anchor date, and when their runs would leave; null: at no moment. */
export interface Slot {
  stage: ReminderStage;
  anchorDate: string;
  dueAt: Date;
  runAt: Date | null;
}

/** The calendar day `YYYY-MM-DD` that the clocks of a zone show. */
export function dayIn(timeZone: string, instant: Date): string {
  return new Date(wallTimeOf(instant, timeZone)).toISOString().slice(0, 10);
}

/** What falls due on a day, wherever it is moved to, and what quiet hours and blackout days move to it. */
export function slotsOn(
  date: string,
  { sendTime, stages }: { sendTime: string; stages: readonly ReminderStage[] },
  window: SendingWindow,
): Slot[] {
  const today = dayNumber(date);
  const days = Array.from({ length: MAX_DELAY_DAYS + 1 }, (_, back) => {
    const due = { anchorDate: dayOfNumber(today - back), offsetDays: 0, sendTime };
    return { day: today - back, dueAt: dueAt(due, window.timeZone), runAt: runTime(due, window) };
  });
  const about = days.filter(
    ({ day, runAt }) => day === today || (runAt !== null && dayIn(window.timeZone, runAt) === date),
  );
  return stages.flatMap((stage) =>
    about.map(({ day, ...times }) => ({ stage, anchorDate: dayOfNumber(day - stage.offsetDays), ...times })),
  );
}
