import { newId } from '../../../platform/ids/id.js';
import { channelsWithRuns } from '../rules/channel-config.js';
import type { ReminderRule, ReminderStage } from '../rules/reminder-rule.entity.js';
import { isTooLate, runTime } from '../timing/run-time.js';
import type { SendingWindow } from '../timing/sending-window.js';
import type { ReminderTarget, TargetKind } from './reminder-sources.js';

/** A rule with what its runs are made of. */
export interface PlannedRule {
  rule: ReminderRule;
  stages: readonly ReminderStage[];
}

export interface NewRun {
  id: string;
  ruleId: string;
  stageId: string;
  channelPosition: number;
  channel: string;
  priority: number;
  bookingId: string;
  scheduleId: string | null;
  invoiceId: string | null;
  anchorDate: string;
  runAt: Date;
}

interface Surroundings {
  kind: TargetKind;
  window: SendingWindow;
  now: Date;
}

/** How many runs the rule has for one target. */
export function runsPerTarget({ stages }: PlannedRule): number {
  return stages.reduce((sum, { channels }) => sum + channelsWithRuns(channels).length, 0);
}

/** The runs of a rule for these targets, less those that it is too late for. */
export function planRuns(
  { rule, stages }: PlannedRule,
  targets: readonly ReminderTarget[],
  { kind, window, now }: Surroundings,
): NewRun[] {
  return stages.flatMap((stage) => {
    const channels = channelsWithRuns(stage.channels);
    // Thousands of targets share some hundred days, and a zone's clock is slow to ask.
    const times = new Map<string, Date | null>();
    return targets.flatMap((target) => {
      const { anchorDate, bookingId, targetId } = target;
      if (!times.has(anchorDate)) times.set(anchorDate, plannedTime(rule, stage, { anchorDate, window, now }));
      const runAt = times.get(anchorDate);
      if (!runAt) return [];
      return channels.map(({ channel, position: channelPosition }) => ({
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
      }));
    });
  });
}

function plannedTime(
  { sendTime }: ReminderRule,
  { offsetDays, sendIfLateByHours: graceHours }: ReminderStage,
  { anchorDate, window, now }: { anchorDate: string; window: SendingWindow; now: Date },
): Date | null {
  const runAt = runTime({ anchorDate, offsetDays, sendTime }, window);
  return runAt === null || isTooLate(now, { runAt, graceHours }) ? null : runAt;
}
