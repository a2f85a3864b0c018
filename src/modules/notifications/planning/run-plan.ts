import { newId } from '../../../platform/ids/id.js';
import { channelsWithRuns, isSendable } from '../rules/channel-config.js';
import type { ReminderRule, ReminderStage, RuleWithStages } from '../rules/reminder-rule.entity.js';
import type { NewRun } from '../runs/reminder-runs.repository.js';
import type { ReminderTarget } from '../targets/reminder-source.js';
import { TARGET_KINDS } from '../targets/reminder-trigger.js';
import { dayNumber, isTooLate, runTime } from '../timing/run-time.js';
import type { SendingWindow } from '../timing/sending-window.js';

interface PlanningTime {
  window: SendingWindow;
  now: Date;
}

/** Returns the number of runs of the rule for one target. */
export function runsPerTarget({ stages }: Pick<RuleWithStages, 'stages'>): number {
  return stages.reduce((sum, { channels }) => sum + channelsWithRuns(channels).length, 0);
}

/** Returns the runs of a rule for the targets with its trigger, except runs that are already too late. */
export function planRuns(
  { rule, stages }: RuleWithStages,
  targets: readonly ReminderTarget[],
  time: PlanningTime,
): NewRun[] {
  const ofRule = targets.filter(({ trigger }) => trigger === rule.trigger);
  return stages.flatMap((stage) => {
    const channels = channelsWithRuns(stage.channels);
    // Computed once per date: thousands of targets share about a hundred dates, and time zone arithmetic is slow.
    const times = new Map<string, Date | null>();
    return ofRule.flatMap(({ anchorDate, bookingId, targetId, trigger }) => {
      if (!times.has(anchorDate)) times.set(anchorDate, plannedTime(rule, stage, { anchorDate, ...time }));
      const runAt = times.get(anchorDate);
      if (!runAt) return [];
      const target = { anchorDate, bookingId, targetId, trigger };
      return channels.map((channel) => newRun({ rule, stage, channel }, target, runAt));
    });
  });
}

/** Returns the mail of the stage that was due last, or of the first one; null if the rule has no mail. */
export function requestedRun(
  { rule, stages }: RuleWithStages,
  target: ReminderTarget,
  { today, now }: { today: string; now: Date },
): NewRun | null {
  const passed = dayNumber(today) - dayNumber(target.anchorDate);
  const inOrder = [...stages].sort((one, other) => one.offsetDays - other.offsetDays);
  const stage = inOrder.filter(({ offsetDays }) => offsetDays <= passed).at(-1) ?? inOrder[0];
  const channel = stage && channelsWithRuns(stage.channels).find(({ config }) => isSendable(config));
  return stage && channel ? newRun({ rule, stage, channel }, target, now) : null;
}

interface RunOrigin {
  rule: ReminderRule;
  stage: ReminderStage;
  channel: { channel: string; position: number };
}

function newRun(
  { rule, stage, channel: { channel, position: channelPosition } }: RunOrigin,
  { anchorDate, bookingId, targetId, trigger }: ReminderTarget,
  runAt: Date,
): NewRun {
  const kind = TARGET_KINDS[trigger];
  return {
    id: newId('rrun'),
    ruleId: rule.id,
    stageId: stage.id,
    channelPosition,
    channel,
    priority: rule.priority,
    bookingId,
    scheduleId: kind === 'schedule' ? targetId : null,
    invoiceId: kind === 'invoice' ? targetId : null,
    anchorDate,
    runAt,
  };
}

function plannedTime(
  { sendTime }: ReminderRule,
  { offsetDays, sendIfLateByHours: graceHours }: ReminderStage,
  { anchorDate, window, now }: PlanningTime & { anchorDate: string },
): Date | null {
  const runAt = runTime({ anchorDate, offsetDays, sendTime }, window);
  return runAt === null || isTooLate(now, { runAt, graceHours }) ? null : runAt;
}
