import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import {
  CommissionStatementPage,
  ListCommissionStatements,
  ListPartnerCommissions,
  PartnerCommissionPage,
  toPartnerCommission,
} from './partner-commission.dto.js';
import { PartnerCommissionsService } from './partner-commissions.service.js';

@ApiGroup('Connect: Sales')
@Controller('/connect/v1')
export class PartnerCommissionsController {
  constructor(private readonly commissions: PartnerCommissionsService) {}

  /**
   * List the commissions of your channels
   *
   * @remarks Returns a page of commissions and repayments of the channels of the operator's connections, newest first. Commissions of
   * offers that are not confirmed are left out. A caller without a connection gets none.
   */
  @Get('commissions')
  @RequireScope('connect:commissions:read')
  async list(@Query() query: ListPartnerCommissions): Promise<PartnerCommissionPage> {
    const { rows, total } = await this.commissions.list(query);
    return { data: rows.map(toPartnerCommission), total, ...pageBounds(query) };
  }

  /**
   * List the commission statements of your channels
   *
   * @remarks Returns one row for each month, channel and currency with the sums of the commissions created in the month, newest month
   * first. The sums are those of today: a commission moves from one to the next as it is confirmed, becomes payable and is paid.
   */
  @ApiOperation({ operationId: 'partnerCommissions_listStatements' })
  @Get('commission-statements')
  @RequireScope('connect:commissions:read')
  async listStatements(@Query() query: ListCommissionStatements): Promise<CommissionStatementPage> {
    const { rows, total } = await this.commissions.listStatements(query);
    return { data: rows, total, ...pageBounds(query) };
  }
}
