import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Bookings } from '../../bookings/index.js';
import { ListReminderRuns, ReminderRunList, ReminderRuns } from '../../notifications/index.js';

@ApiTags('Payment schedules')
@Controller('/v1/admin/finance/bookings/:bookingId/reminder-runs')
export class ReminderRunsController {
  constructor(
    private readonly bookings: Bookings,
    private readonly runs: ReminderRuns,
  ) {}

  /** Lists the reminders of a booking, those that were sent, will be, or will not be; the latest first */
  @Get()
  @RequireScope('finance:read')
  async list(
    @PathId('book', 'bookingId') bookingId: string,
    @Query() query: ListReminderRuns,
  ): Promise<ReminderRunList> {
    return this.runs.ofBooking(await this.bookings.read(bookingId), query);
  }
}
