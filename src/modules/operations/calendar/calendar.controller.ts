import { Controller, Get, Query } from '@nestjs/common';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { CalendarPage, CalendarQuery } from './calendar.dto.js';
import { CalendarService } from './calendar.service.js';

@ApiGroup('Departures')
@Controller('/v1/admin/operations/calendar')
export class CalendarController {
  constructor(private readonly calendar: CalendarService) {}

  /**
   * Get the calendar of resources, meeting points or products
   *
   * @remarks Returns one row per resource, by name, with its assignments and absences in the period, read in one snapshot. Free
   * resources have an empty row. With `groupBy`, the rows are meeting points or products with their departures. What overlaps with
   * the period is included. At most 5,000 entries on a page.
   */
  @Get()
  @ExpensiveRead()
  @RequireScope('operations:read')
  @Refuses({ 422: ['calendar_too_dense'] })
  async list(@Query() query: CalendarQuery): Promise<CalendarPage> {
    return this.calendar.list(query);
  }
}
