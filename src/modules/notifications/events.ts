import type { EventGroup } from '../../platform/outbox/outbox.js';

export const notificationEvents: EventGroup[] = [
  {
    channels: ['bookings.{bookingId}', 'notifications.reminders'],
    events: ['reminder.sent'],
    members: ['runId', 'ruleId', 'stageId', 'bookingId', 'delivered'],
  },
  {
    channels: ['notifications.messages'],
    events: ['message.bounced', 'message.complained'],
    members: ['messageId', 'bookingId', 'customerId', 'reason'],
  },
  {
    channels: ['notifications.suppressions'],
    events: ['suppression.created', 'suppression.lifted'],
    members: ['suppressionId', 'scope', 'reason', 'version'],
  },
];
