import { Injectable } from '@nestjs/common';
import { type ChannelConfig, channelsWithRuns } from '../rules/channel-config.js';
import type { ReminderRule } from '../rules/reminder-rule.entity.js';
import { isLive, type LiveTrigger } from '../rules/reminder-trigger.js';
import { type RuleInFull, RuleRows } from '../rules/rule-rows.service.js';
import { type DueTarget, ReminderSources, type ReminderTarget } from '../runs/reminder-sources.js';
import { type KnownRun, RunHistory } from '../runs/run-history.service.js';
import { runsPerTarget } from '../runs/run-plan.js';
import { SendingHours } from '../timing/sending-hours.js';
import { Foresight, type Promised } from './foresight.service.js';
import { type Slot, slotsOn } from './simulated-days.js';
import type { SimulateReminders } from './simulation.dto.js';
import type { Verdict } from './verdict.js';

const TARGETS = 50;
/** A rule of many stages has smaller pages. */
const REMINDERS = 500;

/** What would become of one channel of a stage for one target. */
export interface SimulatedReminder extends Slot {
  target: ReminderTarget;
  /** As it is now; null where it was settled in this moment. */
  due: DueTarget | null;
  config: ChannelConfig;
  runId: string | null;
  verdict: Verdict;
}

export interface Simulation extends Pick<RuleInFull, 'rule' | 'stages'> {
  reminders: SimulatedReminder[];
  nextAfterTargetId: string | null;
}

interface About {
  target: ReminderTarget;
  due: DueTarget | null;
}

interface Day {
  date: string;
  rule: ReminderRule;
  trigger: LiveTrigger;
  known: readonly KnownRun[];
  promised: Promised;
}

/** Says what a rule would send on a day, by the same decisions that are made when it does; changes nothing. */
@Injectable()
export class Simulations {
  constructor(
    private readonly rules: RuleRows,
    private readonly sources: ReminderSources,
    private readonly history: RunHistory,
    private readonly foresight: Foresight,
    private readonly window: SendingHours,
  ) {}

  /** Throws 404. */
  async simulate(ruleId: string, { date, limit = TARGETS, afterTargetId }: SimulateReminders): Promise<Simulation> {
    const planned = await this.rules.get(ruleId);
    const { rule, stages } = planned;
    const { trigger } = rule;
    const source = isLive(trigger) ? this.sources.find(trigger) : null;
    if (!source || !isLive(trigger)) return { rule, stages, reminders: [], nextAfterTargetId: null };

    const slots = slotsOn(date, { sendTime: rule.sendTime, stages }, this.window);
    const size = Math.min(limit, Math.max(1, Math.floor(REMINDERS / runsPerTarget(planned))));
    const anchorDates = [...new Set(slots.map(({ anchorDate }) => anchorDate))];
    const targets = await source.page({ trigger, afterId: afterTargetId ?? null, limit: size, anchorDates });
    const known = await this.history.of(ruleId, targets);
    const day: Day = { date, rule, trigger, known, promised: new Map() };
    const reminders: SimulatedReminder[] = [];
    for (const target of targets) {
      const due = await source.read(trigger, target.targetId);
      const own = slots.filter(({ anchorDate }) => anchorDate === target.anchorDate);
      for (const slot of own) reminders.push(...(await this.ofSlot(slot, { target, due }, day)));
    }
    return {
      rule,
      stages,
      reminders,
      nextAfterTargetId: (targets.length === size && targets.at(-1)?.targetId) || null,
    };
  }

  private async ofSlot(slot: Slot, about: About, day: Day): Promise<SimulatedReminder[]> {
    const { target, due } = about;
    const { date, rule, trigger, promised } = day;
    const { id: stageId, channels, sendIfLateByHours: graceHours } = slot.stage;
    const reminders: SimulatedReminder[] = [];
    for (const { config, position } of channelsWithRuns(channels)) {
      const known = day.known.find((run) => isOf(run, { ...target, stageId, position })) ?? null;
      const verdict = await this.foresight.verdict(
        { ...slot, enabled: rule.enabled, trigger, graceHours, config, target: due },
        { date, suppressionGroup: rule.suppressionGroup, known, promised },
      );
      reminders.push({ ...slot, target, due, config, runId: known?.id ?? null, verdict });
    }
    return reminders;
  }
}

function isOf(
  run: KnownRun,
  { targetId, anchorDate, stageId, position }: ReminderTarget & { stageId: string; position: number },
): boolean {
  return (
    run.targetId === targetId &&
    run.anchorDate === anchorDate &&
    run.stageId === stageId &&
    run.channelPosition === position
  );
}
