import { Body, Controller, Post } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { NotificationMessageEnvelope, toMessage } from '../messages/notification-message.dto.js';
import { ReminderRunEnvelope } from '../runs/reminder-run.dto.js';
import { ResendMessage, RetryRun } from './resend.dto.js';
import { ResendsService } from './resends.service.js';

const PATH = '/v1/admin/notifications';
const CONFLICTS = [
  'nothing_to_retry',
  'outcome_unknown',
  'target_closed',
  'no_recipient',
  'recipient_suppressed',
] as const;
const LISTED = 'the list of messages';
const MAIL_SENT = { irreversible: 'The mail was sent' };

@ApiGroup('Notifications')
@Controller(PATH)
export class ResendsController {
  constructor(private readonly resends: ResendsService) {}

  /**
   * Send a message again
   *
   * @remarks Queues a new message in place of one that failed or was returned; `resendOf` names that one. It goes to the present address of the
   * booking, unless `recipientEmail` names another address of the booking or its customer. A reminder gets the
   * present amount, and is rejected if nothing is owed any more. If the outcome of the last attempt is unknown, `confirm` is required. Mails
   * to staff, about their accounts and to test templates, cannot be sent again; request a new one.
   */
  @ApiOperation({ operationId: 'notificationMessages_resend' })
  @Post('messages/:id/resend')
  @RequireScope('notifications:write')
  @Mutates('notifications.message.resend', MAIL_SENT)
  @Refuses({ 409: [...CONFLICTS, 'consent_required'], 422: ['recipient_not_on_record'] })
  @BodyExample({ confirm: true })
  @ApiBody({ type: ResendMessage, required: false })
  async resend(
    @PathId('nmsg', 'id', 1, LISTED) id: string,
    @Body() body: ResendMessage,
  ): Promise<NotificationMessageEnvelope> {
    const message = await this.resends.resend(id, body);
    return created(`${PATH}/messages/${message.id}`, {}, { data: toMessage(message) });
  }

  /**
   * Retry a reminder
   *
   * @remarks Plans a new reminder for now in place of one that failed, was skipped or has expired; that one is superseded. It goes to
   * the present address of the booking, and requests the present amount. If the outcome of the last attempt is unknown, `confirm` is
   * required. Rejected if the rule is disabled, the date has moved or nothing is owed any more.
   */
  @ApiOperation({ operationId: 'reminderRuns_retry' })
  @Post('runs/:id/retry')
  @RequireScope('notifications:write')
  @Mutates('notifications.reminder_run.retry', MAIL_SENT)
  @Refuses({ 409: CONFLICTS })
  @ApiBody({ type: RetryRun, required: false })
  async retry(
    @PathId('rrun', 'id', 1, 'the list of the reminders of a booking') id: string,
    @Body() body: RetryRun,
  ): Promise<ReminderRunEnvelope> {
    const run = await this.resends.retry(id, body);
    // Only the list of its booking contains a run.
    return created(`/v1/admin/finance/bookings/${run.bookingId}/reminder-runs`, {}, { data: run });
  }
}
