import { Controller, Get } from '@nestjs/common';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { DashboardEnvelope } from './dashboard.dto.js';
import { DashboardService } from './dashboard.service.js';

@ApiGroup('Desk')
@Controller('/v1/admin/desk/dashboard')
export class DashboardController {
  constructor(private readonly dashboard: DashboardService) {}

  /**
   * Get the day at the desk
   *
   * @remarks Returns the departures of the next seven days, what customers owe by week, what needs attention, and the sales of the
   * last 180 days, read in one snapshot. Parts that the caller may not read are empty and named in `withheld`.
   */
  @Get()
  @ExpensiveRead()
  @RequireScope()
  async get(): Promise<DashboardEnvelope> {
    return { data: await this.dashboard.get() };
  }
}
