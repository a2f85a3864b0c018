import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { MayBeStale } from '../../../platform/http/may-be-stale.js';
import { AgingEnvelope, AgingQuery } from './aging.dto.js';
import { AgingService } from './aging.service.js';
import { IntegrityEnvelope } from './integrity.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { IntegrityService } from './integrity.service.js';

@ApiGroup('Finance reports', {
  position: 130,
  description: 'Staff: receivables and payables by age, and accounting checks.',
})
@Controller('/v1/admin/finance')
export class FinanceReportsController {
  constructor(
    private readonly aging: AgingService,
    private readonly integrity: IntegrityService,
  ) {}

  /**
   * Get the aging report
   *
   * @remarks Sums open installments and uncovered refunds of customers (`receivable`) or posted supplier invoices (`payable`),
   * per currency and by days past the due date. Amounts, due dates, cancellations and payments are as of the end of the day
   * `asOf`. The reports of receivables and payables list the same amounts. Amounts in different currencies are never added.
   */
  @ApiOperation({ operationId: 'reports_getAging' })
  @Get('aging')
  @ExpensiveRead()
  @MayBeStale()
  @RequireScope('finance:read')
  async age(@Query() query: AgingQuery): Promise<AgingEnvelope> {
    return { data: await this.aging.read(query) };
  }

  /**
   * Run the accounting checks
   *
   * @remarks Runs the accounting checks, for example that allocations equal paid amounts, and lists subjects that break a rule.
   * With too much data for a request, the result may be up to one hour old. The call changes nothing.
   */
  @ApiOperation({ operationId: 'reports_getIntegrity' })
  @Get('integrity')
  @ExpensiveRead()
  @RequireScope('finance:read')
  async verify(): Promise<IntegrityEnvelope> {
    return { data: await this.integrity.read() };
  }
}
