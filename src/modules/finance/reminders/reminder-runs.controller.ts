import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { PathId } from '../../../platform/http/path-id.js';
import { BookingsService } from '../../bookings/index.js';
import { ListReminderRuns, ReminderRunList, RemindersService } from '../../notifications/index.js';

@ApiTags('Payment schedules')
@Controller('/v1/admin/finance/bookings/:bookingId/reminder-runs')
export class ReminderRunsController {
  constructor(
    private readonly bookings: BookingsService,
    private readonly reminders: RemindersService,
  ) {}

  /**
   * List the reminders of a booking
   *
   * @remarks Returns the reminders of a booking that were sent, are planned or will not be sent, the latest first.
   * Reminders are created by the reminder rules; this operation does not send any.
   */
  @Get()
  @RequireScope('finance:read')
  async list(
    @PathId('book', 'bookingId') bookingId: string,
    @Query() query: ListReminderRuns,
  ): Promise<ReminderRunList> {
    return this.reminders.listRuns(await this.bookings.getSummary(bookingId), query);
  }
}
