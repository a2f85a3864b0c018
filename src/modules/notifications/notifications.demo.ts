import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import type { ComposeReminderRule } from './rules/reminder-rule.dto.js';
import type { CreateMessageTemplate } from './templates/message-template.dto.js';
import { MessageTemplatesService } from './templates/message-templates.service.js';
import type { CreateSuppression } from './suppressions/suppression.dto.js';
import { SuppressionsService } from './suppressions/suppressions.service.js';
import { ReminderRulesService } from './rules/reminder-rules.service.js';

/** How the ids of the rules of a new installation begin; a migration has created them. */
const DEFAULT_RULE = 'rrul_01k000000000';

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

const TEMPLATES: readonly (CreateMessageTemplate & { isPublished: boolean })[] = [
  {
    ...{ slug: 'balance-with-account', language: 'en', trigger: 'balance_due', isPublished: true },
    subject: 'Balance due for your trip {{booking.number}}',
    text: [
      'Dear {{customer.name}},',
      'please pay {{amount}} by {{dueDate}} to {{bank.holder}}, IBAN {{bank.iban}}.',
      'You have booked:\n{{#items}}- {{item.quantity}} x {{item.title}}, {{item.date}}\n{{/items}}',
      '{{company.name}}, {{company.phone}}',
    ].join('\n\n'),
  },
  {
    ...{ slug: 'packing-list', language: 'en', trigger: 'departure_upcoming', isPublished: false },
    subject: 'What to bring on your trip {{booking.number}}',
    text: 'Dear {{customer.name}},\n\nyour trip departs on {{booking.departureDate}}. Bring good shoes.',
  },
  {
    ...{ slug: 'packing-list', language: 'de', trigger: 'departure_upcoming', isPublished: false },
    subject: 'Was Sie für Ihre Reise {{booking.number}} brauchen',
    text: 'Guten Tag {{customer.name}},\n\nIhre Reise beginnt am {{booking.departureDate}}. Bringen Sie feste Schuhe mit.',
  },
  {
    ...{ slug: 'office-moved', language: 'en', isPublished: true },
    subject: 'Our office has moved',
    text: 'Dear {{customer.name}},\n\nour office has moved. You reach us at {{company.phone}} as before.',
  },
];

const SUPPRESSIONS: readonly CreateSuppression[] = [
  { address: 'moved-away@example.com' },
  { address: 'no-news@example.com', scope: 'marketing' },
];

/**
 * Creates the rules in the examples of the API document: they read 1 and change 2; rule 3 has a trigger that is not supported
 * yet. They read suppression 1 and lift 2, read template 1,
 * and update, publish and retire 2 to 4.
 */
@Injectable()
export class NotificationsDemo {
  constructor(
    private readonly rules: ReminderRulesService,
    private readonly templates: MessageTemplatesService,
    private readonly suppressions: SuppressionsService,
  ) {}

  /** Loaded before the bookings (450), so that reminders are planned for them. */
  @DemoData(430, 'reminder rules, message templates and suppressed addresses')
  async load(): Promise<void> {
    // The rules of a new installation would add mails about all bookings of the demo data.
    const { rows } = await this.rules.list({ enabled: true });
    for (const { id } of rows.filter((rule) => rule.id.startsWith(DEFAULT_RULE))) {
      await this.rules.update(id, { enabled: false }, null);
    }
    for (const [index, rule] of RULES.entries()) await this.rules.compose(rule, demoId('rrul', index + 1));
    for (const [index, { isPublished, ...template }] of TEMPLATES.entries()) {
      const { id } = await this.templates.create(template, demoId('mtpl', index + 1));
      if (isPublished) await this.templates.publish(id, null);
    }
    for (const [index, suppression] of SUPPRESSIONS.entries()) {
      await this.suppressions.create(suppression, demoId('msup', index + 1));
    }
  }
}
