import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { demoId } from '../../../platform/ids/id.js';
import { NotificationMessageEnvelope, toMessage } from '../messages/notification-message.dto.js';
import { PreviewMessageTemplate } from '../templates/message-template.dto.js';
import { SendMessage } from './manual-message.dto.js';
import { ManualMessagesService } from './manual-messages.service.js';

const PATH = '/v1/admin/notifications';

@ApiGroup('Notifications')
@Controller(PATH)
export class ManualMessagesController {
  constructor(private readonly messages: ManualMessagesService) {}

  /**
   * Send a message to a customer
   *
   * @remarks Queues a message about a booking or to a customer, with a text that staff wrote or from a published template without a
   * trigger. It goes only to an address of the booking or of its customer. A marketing message goes only to an address of the
   * customer and requires the customer's consent, which is checked again when the mail is sent. A template whose placeholders have no
   * value there is rejected with their names. A mail with attachments has the kind `document`; files beyond 10 MiB are linked for seven
   * days. If one of them is deleted before the mail is sent, the
   * mail fails with the reason `file_missing`. A user sends at most 200 messages a day.
   */
  @ApiOperation({ operationId: 'notificationMessages_create' })
  @Post('messages')
  @RequireScope('notifications:write')
  @Mutates('notifications.message.create', { irreversible: 'The mail was sent' })
  @BodyExample({ bookingId: demoId('book', 1), subject: 'Your question', text: 'The hotel has a lift.' })
  @Refuses({
    404: ['not_found'],
    409: ['no_recipient', 'recipient_suppressed', 'consent_required', 'daily_limit_reached', 'file_not_ready'],
    422: [
      'recipient_not_on_record',
      'template_not_usable',
      'placeholder_missing',
      'placeholder_unknown',
      'message_too_long',
      'attachment_not_on_record',
      'attachment_internal',
      'attachment_sensitive',
      'files_too_large',
    ],
  })
  async send(@Body() body: SendMessage): Promise<NotificationMessageEnvelope> {
    const message = await this.messages.send(body);
    return created(`${PATH}/messages/${message.id}`, {}, { data: toMessage(message) });
  }

  /**
   * Send a test message
   *
   * @remarks Queues the message that the preview shows, also of a draft, to the calling user only. Its subject begins with
   * `[Test]`. It counts as one of the messages that the user sends in a day. A booking requires `bookings:read`.
   */
  @ApiOperation({ operationId: 'messageTemplates_sendTest' })
  @Post('templates/:id/test-messages')
  @RequireScope('notifications:write')
  @Mutates('notifications.message.create', { irreversible: 'The mail was sent' })
  @BodyExample({ sample: true })
  @Refuses({
    404: ['not_found'],
    409: ['no_recipient', 'recipient_suppressed', 'daily_limit_reached'],
    422: ['message_too_long'],
  })
  async sendTest(
    @PathId('mtpl') id: string,
    @Body() body: PreviewMessageTemplate,
  ): Promise<NotificationMessageEnvelope> {
    const message = await this.messages.sendTest(id, body);
    return created(`${PATH}/messages/${message.id}`, {}, { data: toMessage(message) });
  }
}
