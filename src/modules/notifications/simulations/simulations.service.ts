import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { MessagesService } from '../messages/messages.service.js';
import { type ComposedMail, MailComposer } from '../templates/mail-composer.js';
import { runsPerTarget } from '../planning/run-plan.js';
import { type ChannelConfig, channelsWithRuns, isSendable, namedTemplate } from '../rules/channel-config.js';
import type { ReminderRule, ReminderRuleDetails } from '../rules/reminder-rule.entity.js';
import { ReminderRulesRepository } from '../rules/reminder-rules.repository.js';
import { type ExistingRun, ReminderRunsRepository } from '../runs/reminder-runs.repository.js';
import { type DueTarget, findSource, type ReminderTarget } from '../targets/reminder-source.js';
import { isLive, type LiveTrigger } from '../targets/reminder-trigger.js';
import { sendingWindowOf } from '../timing/sending-window.js';
import type { SimulateReminders } from './simulation.dto.js';
import { type DueStage, dueStagesOn } from './due-stages.js';
import { simulateRun, type SimulatedOutcome } from './simulated-outcome.js';

const MAX_TARGETS = 50;
/** Rules with many stages have smaller pages. */
const MAX_REMINDERS = 500;

/** The result for one channel of a stage and one target. */
export interface SimulatedReminder extends DueStage {
  target: ReminderTarget;
  config: ChannelConfig;
  runId: string | null;
  outcome: SimulatedOutcome;
  /** Null if nothing would be sent. */
  mail: ComposedMail | null;
}

export interface Simulation extends Omit<ReminderRuleDetails, 'planning'> {
  reminders: SimulatedReminder[];
  nextAfterTargetId: string | null;
}

/** A stage that is due for one target. */
interface TargetStage {
  dueStage: DueStage;
  target: ReminderTarget;
  /** The current target; null if it was settled meanwhile. */
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

/** Computes the messages of a rule on a day with the same decisions as the delivery; changes nothing. */
@Injectable()
export class SimulationsService {
  constructor(
    private readonly rules: ReminderRulesRepository,
    private readonly runs: ReminderRunsRepository,
    private readonly messages: MessagesService,
    private readonly suppressions: SuppressionsService,
    private readonly composer: MailComposer,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  async simulate(ruleId: string, body: SimulateReminders): Promise<Simulation> {
    const { date, limit = MAX_TARGETS, afterTargetId } = body;
    const details = await this.rules.getDetails(ruleId);
    const { rule, stages, templates } = details;
    const { trigger } = rule;
    const source = isLive(trigger) ? findSource(this.listeners, trigger) : null;
    if (!source || !isLive(trigger)) return { rule, stages, templates, reminders: [], nextAfterTargetId: null };

    const dueStages = dueStagesOn(date, details, sendingWindowOf(this.env));
    const size = Math.min(limit, Math.max(1, Math.floor(MAX_REMINDERS / runsPerTarget(details))));
    const anchorDates = [...new Set(dueStages.map(({ anchorDate }) => anchorDate))];
    const targets = await source.page({ trigger, afterId: afterTargetId ?? null, limit: size, anchorDates });
    const existing = await this.runs.ofTargets(ruleId, targets);
    const state: SimulationState = { date, rule, trigger, existing, promised: new Map() };
    const reminders: SimulatedReminder[] = [];
    for (const target of targets) {
      const due = await source.read(trigger, target.targetId);
      for (const dueStage of dueStages.filter(({ anchorDate }) => anchorDate === target.anchorDate)) {
        reminders.push(...(await this.simulateStage({ dueStage, target, due }, state)));
      }
    }
    const last = targets.length === size ? targets.at(-1) : undefined;
    return { rule, stages, templates, reminders, nextAfterTargetId: last?.targetId ?? null };
  }

  private async simulateStage(targetStage: TargetStage, state: SimulationState): Promise<SimulatedReminder[]> {
    const { dueStage, target } = targetStage;
    const reminders: SimulatedReminder[] = [];
    for (const { config, position } of channelsWithRuns(dueStage.stage.channels)) {
      const run = state.existing.find((existing) =>
        isOf(existing, { ...target, stageId: dueStage.stage.id, position }),
      );
      const decided = await this.outcomeOf(targetStage, { config, run: run ?? null }, state);
      const { sending, at } = decided;
      const mail = sending && (await this.composer.compose(sending.template, sending.target));
      const outcome = sending && !mail ? { at, sending: null, reason: 'message_too_long' } : decided;
      reminders.push({ ...dueStage, target, config, runId: run?.id ?? null, outcome, mail });
    }
    return reminders;
  }

  private async outcomeOf(
    { dueStage, due }: TargetStage,
    { config, run }: { config: ChannelConfig; run: ExistingRun | null },
    { date, rule, trigger, promised }: SimulationState,
  ): Promise<SimulatedOutcome> {
    const now = this.clock.now();
    const { enabled, suppressionGroup } = rule;
    const { anchorDate, runAt, stage } = dueStage;
    const template =
      due && isSendable(config) ? await this.composer.choose(trigger, namedTemplate(config), due.bookingId) : null;
    const outcome = simulateRun(
      { enabled, trigger, anchorDate, runAt, graceHours: stage.sendIfLateByHours, config, target: due, template },
      { date, now, window: sendingWindowOf(this.env), status: run?.status ?? null },
    );
    if (outcome.sending === null) return outcome;
    const { recipient } = outcome.sending;
    if (await this.suppressions.find(recipient)) {
      return { at: outcome.at, sending: null, reason: 'recipient_suppressed' };
    }
    const count = promised.get(recipient.toLowerCase()) ?? 0;
    const limited = { runId: run?.id ?? '', recipient, suppressionGroup };
    const reason = await this.messages.exceededLimit(limited, { at: outcome.at ?? now, promised: count });
    if (reason !== null) return { at: outcome.at, sending: null, reason };
    promised.set(recipient.toLowerCase(), count + 1);
    return outcome;
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
