import { channelOf, isSendable, templateOf } from './channel-config.js';
import type { ReminderStage } from './reminder-rule.entity.js';
import { isLive, type Trigger } from './reminder-trigger.js';

export const RULE_WARNINGS = ['trigger_dormant', 'template_not_found', 'channel_not_supported'] as const;

export interface RuleWarning {
  code: (typeof RULE_WARNINGS)[number];
  /** The place in the rule, such as `stages.0.channels.1`. */
  path: string;
  message: string;
}

/** What of a rule will not be sent, although it may be stored. Stages in the order in which they are answered. */
export function warningsOf(trigger: Trigger, stages: readonly ReminderStage[]): RuleWarning[] {
  const dormant: RuleWarning[] = isLive(trigger)
    ? []
    : [{ code: 'trigger_dormant', path: 'trigger', message: `Nothing sets off ${trigger} yet: no runs are planned` }];
  const ofChannels = stages.flatMap(({ channels }, stage) =>
    channels.flatMap((config, position): RuleWarning[] => {
      const path = `stages.${stage}.channels.${position}`;
      if (!isSendable(config)) {
        return [{ code: 'channel_not_supported', path, message: `${channelOf(config)} cannot be sent yet` }];
      }
      const isMissing = isLive(trigger) && templateOf(trigger, config) === null;
      return isMissing ? [{ code: 'template_not_found', path, message: 'There is no such template' }] : [];
    }),
  );
  return [...dormant, ...ofChannels];
}
