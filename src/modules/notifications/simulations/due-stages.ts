import { localDayOf } from '../../../platform/time/local-time.js';
import type { ReminderRule, ReminderStage } from '../rules/reminder-rule.entity.js';
import { dayNumber, dayOfNumber, dueAt, runTime } from '../timing/run-time.js';
import { MAX_DELAY_DAYS, type SendingWindow } from '../timing/sending-window.js';

/**
 * The time at which a stage is due for the targets of one anchor date, and the time at which it would be sent; null if no free
 * instant is near.
 */
export interface DueStage {
  stage: ReminderStage;
  anchorDate: string;
  dueAt: Date;
  runAt: Date | null;
}

/**
 * Returns the stages that are due on a day, even if they are sent later, and stages of earlier days that quiet hours and
 * blackout days move to it.
 */
export function dueStagesOn(
  date: string,
  { rule: { sendTime }, stages }: { rule: ReminderRule; stages: readonly ReminderStage[] },
  window: SendingWindow,
): DueStage[] {
  const today = dayNumber(date);
  const days = Array.from({ length: MAX_DELAY_DAYS + 1 }, (_, back) => {
    const due = { anchorDate: dayOfNumber(today - back), offsetDays: 0, sendTime };
    return { day: today - back, dueAt: dueAt(due, window.timeZone), runAt: runTime(due, window) };
  });
  const relevant = days.filter(
    ({ day, runAt }) => day === today || (runAt !== null && localDayOf(runAt, window.timeZone) === date),
  );
  return stages.flatMap((stage) =>
    relevant.map(({ day, ...times }) => ({ stage, anchorDate: dayOfNumber(day - stage.offsetDays), ...times })),
  );
}
