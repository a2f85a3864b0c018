import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { Names } from '../../../platform/http/row-names.js';
import { RemindersService } from './reminders.service.js';
import { ListAllReminderRuns, ReminderRunPage } from '../runs/reminder-run.dto.js';

@ApiGroup('Notifications')
@Controller('/v1/admin/notifications/runs')
export class ReminderRunsController {
  constructor(
    private readonly reminders: RemindersService,
    private readonly names: Names,
  ) {}

  /**
   * List the reminders of all bookings
   *
   * @remarks Returns a page of reminders that were sent, are planned or will not be sent, the latest first. Addresses are masked without
   * the scope `customers:read`. This operation does not send any.
   */
  @ApiOperation({ operationId: 'reminderRuns_listAll' })
  @Get()
  @RequireScope('notifications:read')
  async list(@Query() query: ListAllReminderRuns): Promise<ReminderRunPage> {
    const { data, total } = await this.reminders.listRuns(query);
    return { data: await this.names.beside(data, 'bookingId'), total, ...pageBounds(query) };
  }
}
