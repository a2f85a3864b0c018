import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { created } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { demoId } from '../../../platform/ids/id.js';
import { NotificationMessageEnvelope, toMessage } from '../messages/notification-message.dto.js';
import { SendMessage } from './manual-message.dto.js';
import { ManualMessagesService } from './manual-messages.service.js';

const PATH = '/v1/admin/notifications/messages';

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
   * value there is rejected with their names. A mail with attachments has the kind `document`; if one of them is deleted before the mail is sent, the
   * mail fails with the reason `file_missing`. A user sends at most 200 messages a day.
   */
  @ApiOperation({ operationId: 'notificationMessages_create' })
  @Post()
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
    return created(`${PATH}/${message.id}`, {}, { data: toMessage(message) });
  }
}
