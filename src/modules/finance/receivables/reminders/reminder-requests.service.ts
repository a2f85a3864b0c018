import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { invalidField } from '../../../../platform/errors/app-error.js';
import { RateLimits } from '../../../../platform/admission/rate-limits.js';
import { ActionLedger } from '../../../action-ledger/index.js';
import { BookingsService } from '../../../bookings/index.js';
import { type ReminderRunResponse, RemindersService } from '../../../notifications/index.js';
import type { RequestReminder } from './reminder-run.dto.js';
import { INSTALLMENT_TRIGGERS, INVOICE_TRIGGERS } from './reminder-triggers.js';

/** Sends reminders on request of staff. */
@Injectable()
export class ReminderRequestsService {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly reminders: RemindersService,
    private readonly rateLimits: RateLimits,
    private readonly ledger: ActionLedger,
  ) {}

  async request(bookingId: string, { scheduleId, invoiceId }: RequestReminder): Promise<ReminderRunResponse> {
    const targetId = scheduleId ?? invoiceId;
    if (targetId === undefined) throw invalidField('scheduleId', 'scheduleId or invoiceId is required', 'required');
    if (scheduleId !== undefined && invoiceId !== undefined) {
      throw invalidField('invoiceId', 'Only one of scheduleId and invoiceId is allowed', 'not_applicable');
    }
    return this.database.transaction(async () => {
      const booking = await this.bookings.lock(bookingId);
      if (booking.customerEmail) this.rateLimits.takeMail({ subject: targetId, recipient: booking.customerEmail });
      const triggers = scheduleId === undefined ? INVOICE_TRIGGERS : INSTALLMENT_TRIGGERS;
      const run = await this.reminders.request(booking, { targetId, triggers });
      this.ledger.record('finance.reminder.request', {
        subjectType: 'reminder_run',
        subjectId: run.id,
        after: { id: run.id, bookingId, targetId },
      });
      return run;
    });
  }
}
