import { named } from '../../../platform/http/named-values.js';
import {
  channelOf,
  channelsWithRuns,
  type ChannelConfig,
  hasOddRecipientKind,
  isSendable,
  templateOf,
} from './channel-config.js';
import type { ReminderStage } from './reminder-rule.entity.js';
import { isLive, type Trigger } from './reminder-trigger.js';

export const RULE_WARNINGS = named('ReminderRuleWarning', [
  'trigger_dormant',
  'template_not_found',
  'channel_not_supported',
  'channel_repeated',
  'recipient_kind_unknown',
]);

export interface RuleWarning {
  code: (typeof RULE_WARNINGS)[number];
  /** The place in the rule, such as `stages.0.channels.1`. */
  path: string;
  message: string;
}

/** What of a rule will not be sent as it is written, although it may be stored. Stages in the order in which they are answered. */
export function warningsOf(trigger: Trigger, stages: readonly ReminderStage[]): RuleWarning[] {
  const dormant: RuleWarning[] = isLive(trigger)
    ? []
    : [
        {
          code: 'trigger_dormant',
          path: 'trigger',
          message: `The trigger ${trigger} is not supported yet: no reminders are planned`,
        },
      ];
  const ofChannels = stages.flatMap(({ channels }, stage) => {
    const leading = channelsWithRuns(channels).map(({ position }) => position);
    return channels.flatMap((config, position) => {
      const path = `stages.${stage}.channels.${position}`;
      const fault = isSendable(config) && !leading.includes(position) ? REPEATED : faultOf(config, trigger);
      return fault === null ? [] : [{ path, ...fault }];
    });
  });
  return [...dormant, ...ofChannels];
}

type Fault = Omit<RuleWarning, 'path'>;

const REPEATED: Fault = {
  code: 'channel_repeated',
  message: 'Duplicate channel in this stage: only the first entry is sent',
};

function faultOf(config: ChannelConfig, trigger: Trigger): Fault | null {
  if (!isSendable(config)) {
    return { code: 'channel_not_supported', message: `The channel ${channelOf(config)} is not supported yet` };
  }
  if (isLive(trigger) && templateOf(trigger, config) === null) {
    return { code: 'template_not_found', message: 'The template does not exist' };
  }
  if (!hasOddRecipientKind(config)) return null;
  return { code: 'recipient_kind_unknown', message: 'recipientKind is not primary, cc or bcc; primary is used' };
}
