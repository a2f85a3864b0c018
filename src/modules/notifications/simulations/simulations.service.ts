import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { MessagesService } from '../messages/messages.service.js';
import { runsPerTarget } from '../planning/run-plan.js';
import { type ChannelConfig, channelsWithRuns } from '../rules/channel-config.js';
import type { ReminderRule, RuleWithStages } from '../rules/reminder-rule.entity.js';
import { ReminderRulesRepository } from '../rules/reminder-rules.repository.js';
import { type ExistingRun, ReminderRunsRepository } from '../runs/reminder-runs.repository.js';
import { type DueTarget, findSource, type ReminderTarget } from '../targets/reminder-source.js';
import { isLive, type LiveTrigger } from '../targets/reminder-trigger.js';
import { sendingWindowOf } from '../timing/sending-window.js';
import type { SimulateReminders } from './simulation.dto.js';
import { type Slot, slotsOn } from './slots.js';
import { foresee, type Verdict } from './verdict.js';

const MAX_TARGETS = 50;
/** Rules with many stages have smaller pages. */
const MAX_REMINDERS = 500;

/** The result for one channel of a stage and one target. */
export interface SimulatedReminder extends Slot {
  target: ReminderTarget;
  config: ChannelConfig;
  runId: string | null;
  verdict: Verdict;
}

export interface Simulation extends RuleWithStages {
  reminders: SimulatedReminder[];
  nextAfterTargetId: string | null;
}

/** A slot for one target. */
interface TargetSlot {
  slot: Slot;
  target: ReminderTarget;
  /** The target as it is now; null if it was settled meanwhile. */
  due: DueTarget | null;
}

interface SimulationState {
  date: string;
  rule: ReminderRule;
  trigger: LiveTrigger;
  existing: readonly ExistingRun[];
  /** The number of reminders in this simulation by recipient, in lower case. */
  promised: Map<string, number>;
}

/** Computes what a rule would send on a day by the decisions that apply when it is sent; changes nothing. */
@Injectable()
export class SimulationsService {
  constructor(
    private readonly rules: ReminderRulesRepository,
    private readonly runs: ReminderRunsRepository,
    private readonly messages: MessagesService,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  async simulate(ruleId: string, body: SimulateReminders): Promise<Simulation> {
    const { date, limit = MAX_TARGETS, afterTargetId } = body;
    const details = await this.rules.getDetails(ruleId);
    const { rule, stages } = details;
    const { trigger } = rule;
    const source = isLive(trigger) ? findSource(this.listeners, trigger) : null;
    if (!source || !isLive(trigger)) return { rule, stages, reminders: [], nextAfterTargetId: null };

    const slots = slotsOn(date, details, sendingWindowOf(this.env));
    const size = Math.min(limit, Math.max(1, Math.floor(MAX_REMINDERS / runsPerTarget(details))));
    const anchorDates = [...new Set(slots.map(({ anchorDate }) => anchorDate))];
    const targets = await source.page({ trigger, afterId: afterTargetId ?? null, limit: size, anchorDates });
    const existing = await this.runs.ofTargets(ruleId, targets);
    const state: SimulationState = { date, rule, trigger, existing, promised: new Map() };
    const reminders: SimulatedReminder[] = [];
    for (const target of targets) {
      const due = await source.read(trigger, target.targetId);
      for (const slot of slots.filter(({ anchorDate }) => anchorDate === target.anchorDate)) {
        reminders.push(...(await this.simulateSlot({ slot, target, due }, state)));
      }
    }
    const last = targets.length === size ? targets.at(-1) : undefined;
    return { rule, stages, reminders, nextAfterTargetId: last?.targetId ?? null };
  }

  private async simulateSlot(targetSlot: TargetSlot, state: SimulationState): Promise<SimulatedReminder[]> {
    const { slot, target } = targetSlot;
    const reminders: SimulatedReminder[] = [];
    for (const { config, position } of channelsWithRuns(slot.stage.channels)) {
      const run = state.existing.find((existing) => isOf(existing, { ...target, stageId: slot.stage.id, position }));
      const verdict = await this.verdictOf(targetSlot, { config, run: run ?? null }, state);
      reminders.push({ ...slot, target, config, runId: run?.id ?? null, verdict });
    }
    return reminders;
  }

  private async verdictOf(
    { slot, due }: TargetSlot,
    { config, run }: { config: ChannelConfig; run: ExistingRun | null },
    { date, rule, trigger, promised }: SimulationState,
  ): Promise<Verdict> {
    const now = this.clock.now();
    const { enabled, suppressionGroup } = rule;
    const { anchorDate, runAt, stage } = slot;
    const verdict = foresee(
      { enabled, trigger, anchorDate, runAt, graceHours: stage.sendIfLateByHours, config, target: due },
      { date, now, window: sendingWindowOf(this.env), status: run?.status ?? null },
    );
    if (verdict.sending === null) return verdict;
    const { recipient } = verdict.sending;
    const count = promised.get(recipient.toLowerCase()) ?? 0;
    const limited = { runId: run?.id ?? '', recipient, suppressionGroup };
    const reason = await this.messages.exceededLimit(limited, { at: verdict.at ?? now, promised: count });
    if (reason !== null) return { at: verdict.at, sending: null, reason };
    promised.set(recipient.toLowerCase(), count + 1);
    return verdict;
  }
}

function isOf(
  run: ExistingRun,
  { targetId, anchorDate, stageId, position }: ReminderTarget & { stageId: string; position: number },
): boolean {
  return (
    run.targetId === targetId &&
    run.anchorDate === anchorDate &&
    run.stageId === stageId &&
    run.channelPosition === position
  );
}
