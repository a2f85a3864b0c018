import { Controller, Get, Query } from '@nestjs/common';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { TimelinePage, TimelineQuery } from './timeline.dto.js';
import { TimelinesService } from './timelines.service.js';

@ApiGroup('Customers')
@Controller('/v1/admin/customers/:customerId/timeline')
export class TimelinesController {
  constructor(private readonly timelines: TimelinesService) {}

  /**
   * List what happened with a customer
   *
   * @remarks Returns a page of the bookings of the customer, of their trips, invoices and mails, and of the notes on the customer,
   * newest first unless `sort` is given. Each kind needs its own read scope (`bookings:read`, `trips:read`, `finance:receivables`, `notifications:read`,
   * `desk:read`); kinds without it are left out and named in `withheld`.
   */
  @Get()
  @ExpensiveRead()
  @RequireScope('customers:read')
  @Refuses({ 404: ['not_found'] })
  async list(@PathId('cus', 'customerId') id: string, @Query() query: TimelineQuery): Promise<TimelinePage> {
    return this.timelines.get(id, query);
  }
}
