import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { pageBounds } from '../../../platform/http/dto.js';
import {
  ListNotificationMessages,
  NotificationMessageEnvelope,
  NotificationMessagePage,
  toMessage,
} from './notification-message.dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { Names } from '../../../platform/http/row-names.js';
import { MessagesService } from './messages.service.js';

@ApiGroup('Notifications', {
  position: 190,
  description: 'Staff: reminder rules, their simulation, and the messages sent to customers.',
})
@Controller('/v1/admin/notifications/messages')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly names: Names,
  ) {}

  /**
   * List sent notification messages
   *
   * @remarks Returns a page of messages of all kinds, newest first. Addresses of customers are masked without the scope
   * `customers:read`. Without a mail server the messages are stored with status `recorded` and not sent.
   */
  @ApiOperation({ operationId: 'notificationMessages_list' })
  @Get()
  @RequireScope('notifications:read')
  async list(@Query() query: ListNotificationMessages): Promise<NotificationMessagePage> {
    const { rows, total } = await this.messages.list(query);
    return {
      data: await this.names.beside(rows.map(toMessage), 'bookingId', 'customerId'),
      total,
      ...pageBounds(query),
    };
  }

  /**
   * Get a notification message
   *
   * @remarks Returns the message and its delivery state. The address of a customer is masked without the scope `customers:read`.
   */
  @ApiOperation({ operationId: 'notificationMessages_get' })
  @Get(':id')
  @RequireScope('notifications:read')
  async get(@PathId('nmsg', 'id', 1, 'the list of messages') id: string): Promise<NotificationMessageEnvelope> {
    return { data: toMessage(await this.messages.get(id)) };
  }
}
