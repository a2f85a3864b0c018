import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { AgingEnvelope, AgingQuery } from './aging.dto.js';
import { AgingReport } from './aging.service.js';
import { IntegrityEnvelope } from './integrity.dto.js';
import { IntegrityReport } from './integrity.service.js';

@ApiTags('Finance reports')
@Controller('/v1/admin/finance')
export class FinanceReportsController {
  constructor(
    private readonly aging: AgingReport,
    private readonly integrity: IntegrityReport,
  ) {}

  /** Sums what customers owe, or what we owe to suppliers, by currency and by how late it is, as of a day */
  @Get('aging')
  @RequireScope('finance:read')
  async age(@Query() query: AgingQuery): Promise<AgingEnvelope> {
    return { data: await this.aging.read(query) };
  }

  /** Proves that money is conserved, and names what does not add up */
  @Get('integrity')
  @RequireScope('finance:read')
  async verify(): Promise<IntegrityEnvelope> {
    return { data: await this.integrity.read() };
  }
}
