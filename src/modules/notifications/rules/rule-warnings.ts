import { extensible } from '../../../platform/http/named-values.js';
import {
  channelOf,
  channelsWithRuns,
  type ChannelConfig,
  hasUnknownRecipientKind,
  isSendable,
  namedTemplate,
} from './channel-config.js';
import { builtInOf } from '../templates/built-in-mails.js';
import type { ReminderStage } from './reminder-rule.entity.js';
import { isLive, type Trigger } from '../targets/reminder-trigger.js';

export const RULE_WARNINGS = extensible('ReminderRuleWarning', [
  'trigger_dormant',
  'template_not_found',
  'channel_not_supported',
  'channel_repeated',
  'recipient_kind_unknown',
]);

export interface RuleWarning {
  code: (typeof RULE_WARNINGS)[number];
  /** Path of the setting in the rule, such as `stages.0.channels.1`. */
  path: string;
  message: string;
}

/**
 * Returns the settings of a rule that are stored but not sent as written; `stages` are in the order of the response. `templates` are
 * the names of the published templates of the trigger.
 */
export function warningsOf(
  trigger: Trigger,
  stages: readonly ReminderStage[],
  templates: readonly string[],
): RuleWarning[] {
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
      const problem =
        isSendable(config) && !leading.includes(position) ? REPEATED : problemOf(config, { trigger, templates });
      return problem === null ? [] : [{ path, ...problem }];
    });
  });
  return [...dormant, ...ofChannels];
}

type Problem = Omit<RuleWarning, 'path'>;

const REPEATED: Problem = {
  code: 'channel_repeated',
  message: 'Duplicate channel in this stage: only the first entry is sent',
};

function problemOf(
  config: ChannelConfig,
  { trigger, templates }: { trigger: Trigger; templates: readonly string[] },
): Problem | null {
  if (!isSendable(config)) {
    return { code: 'channel_not_supported', message: `The channel ${channelOf(config)} is not supported yet` };
  }
  const name = namedTemplate(config);
  if (isLive(trigger) && name !== null && builtInOf(name) === null && !templates.includes(name)) {
    return { code: 'template_not_found', message: 'The template does not exist' };
  }
  if (!hasUnknownRecipientKind(config)) return null;
  return { code: 'recipient_kind_unknown', message: 'recipientKind is not primary, cc or bcc; primary is used' };
}
