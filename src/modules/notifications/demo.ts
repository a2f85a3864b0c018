import { demoId } from '../../platform/ids/id.js';
import type { ComposeReminderRule } from './rules/reminder-rule.dto.js';
import type { ReminderRules } from './rules/reminder-rules.service.js';

const email = (templateSlug: string) => ({ channel: 'email', templateSlug });

const RULES: readonly ComposeReminderRule[] = [
  {
    name: 'Balance: a week before, on the day, three days late',
    trigger: 'balance_due',
    priority: 100,
    stages: [
      { offsetDays: -7, name: 'A week before', channels: [email('balance-due')] },
      { offsetDays: 0, name: 'On the day', channels: [email('balance-due')] },
      { offsetDays: 3, name: 'Three days late', channels: [email('balance-due')] },
    ],
  },
  {
    name: 'Departure: two weeks before',
    trigger: 'departure_upcoming',
    suppressionGroup: 'travel',
    stages: [{ offsetDays: -14, name: 'Two weeks before', channels: [email('departure-upcoming')] }],
  },
  {
    name: 'Signature is missing',
    trigger: 'legal_signature_due',
    enabled: false,
    stages: [{ offsetDays: 2, channels: [{ channel: 'email' }, { channel: 'sms' }] }],
  },
];

/** The rules that the API document's examples name: 1 to be read, 2 to be changed, 3 one that leads to nothing yet. */
export async function loadDemoReminderRules(rules: ReminderRules): Promise<void> {
  for (const [index, rule] of RULES.entries()) await rules.compose(rule, demoId('rrul', index + 1));
}
