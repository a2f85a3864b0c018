import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { MessageStatus, NotificationMessage } from './notification-message.entity.js';

/** A reminder that was sent, and whether there was a mail server to take it. */
interface SentReminder {
  runId: string;
  ruleId: string;
  stageId: string;
  bookingId: string;
  delivered: boolean;
}

/** Tells, in the running transaction, what became of a message: for the ledger, and for those who listen. */
@Injectable()
export class DeliveryJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  record(message: NotificationMessage, { status, reason }: { status: MessageStatus; reason: string | null }): void {
    const { id, kind, runId, contractId, attempts } = message;
    this.ledger.record(`notifications.message.${status === 'failed' ? 'fail' : 'send'}`, {
      subjectType: 'notification_message',
      subjectId: id,
      after: { id, kind, runId, contractId, status, reason, attempts },
    });
  }

  announce(reminder: SentReminder): void {
    for (const channel of [`bookings.${reminder.bookingId}`, 'notifications.reminders']) {
      this.outbox.add({ channel, event: 'reminder.sent', data: { ...reminder } });
    }
  }
}
