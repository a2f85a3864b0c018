import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../../platform/auth/access.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { created } from '../../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../../platform/http/route-errors.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { demoId } from '../../../../platform/ids/id.js';
import { BookingsService } from '../../../bookings/index.js';
import {
  ListReminderRuns,
  ReminderRunEnvelope,
  ReminderRunList,
  RemindersService,
} from '../../../notifications/index.js';
import { RequestReminder } from './reminder-run.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { ReminderRequestsService } from './reminder-requests.service.js';

@ApiGroup('Payment schedules')
@Controller('/v1/admin/finance/bookings/:bookingId/reminder-runs')
export class ReminderRunsController {
  constructor(
    private readonly bookings: BookingsService,
    private readonly reminders: RemindersService,
    private readonly requests: ReminderRequestsService,
  ) {}

  /**
   * Send a reminder now
   *
   * @remarks Plans a mail about an open installment or invoice for now, with the template of the rule stage that was due last;
   * name one of `scheduleId` and `invoiceId`. The mail requests the due amount less money on account, and is skipped if that
   * covers it. A reminder of the same stage that is planned or queued is superseded. Rejected if nothing is owed, no enabled
   * rule fits, or the address of the customer is suppressed.
   */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.reminder.request', { irreversible: 'The mail was sent' })
  @BodyExample({ scheduleId: demoId('psch', 1) })
  @Refuses({ 409: ['target_closed', 'no_reminder_rule', 'recipient_suppressed'] })
  async request(
    @PathId('book', 'bookingId') bookingId: string,
    @Body() body: RequestReminder,
  ): Promise<ReminderRunEnvelope> {
    const run = await this.requests.request(bookingId, body);
    // Only the list of its booking contains a run.
    return created(`/v1/admin/finance/bookings/${bookingId}/reminder-runs`, {}, { data: run });
  }

  /**
   * List the reminders of a booking
   *
   * @remarks Returns the reminders of a booking that were sent, are planned or will not be sent, the latest first.
   * This operation does not send any.
   */
  @Get()
  @RequireScope('finance:read')
  async list(
    @PathId('book', 'bookingId') bookingId: string,
    @Query() query: ListReminderRuns,
  ): Promise<ReminderRunList> {
    await this.bookings.getSummary(bookingId);
    return this.reminders.listRuns({ ...query, bookingId });
  }
}
