import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { ListNotificationMessages, NotificationMessagePage, toMessage } from './notification-message.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { MessagesService } from './messages.service.js';

@ApiGroup('Notifications', {
  position: 190,
  description: 'Staff: reminder rules, their simulation, and the messages sent to customers.',
})
@Controller('/v1/admin/notifications/messages')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  /**
   * List sent notification messages
   *
   * @remarks Returns a page of messages, newest first, for reminders and contracts. Recipients are masked. Without a
   * mail server the messages are stored with status `recorded` and not sent.
   */
  @ApiOperation({ operationId: 'notificationMessages_list' })
  @Get()
  @RequireScope('notifications:read')
  async list(@Query() query: ListNotificationMessages): Promise<NotificationMessagePage> {
    const { rows, total } = await this.messages.list(query);
    return { data: rows.map(toMessage), total, ...pageBounds(query) };
  }
}
