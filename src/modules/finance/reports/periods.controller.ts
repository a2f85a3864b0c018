import { Body, Controller, Get, HttpCode, type PipeTransform, Post } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathText } from '../../../platform/http/path-id.js';
import { ComputedNow, tagged } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { PeriodClosingService } from './period-closing.service.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { FilePeriod, PeriodEnvelope, ReopenPeriod, toPeriod } from './period.dto.js';

const MONTH = /^(?:19|2[01])\d{2}-(?:0[1-9]|1[0-2])$/;

class MonthPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!MONTH.test(value)) throw notFound();
    return value;
  }
}

function PathMonth(example = '2025-11'): ParameterDecorator {
  const rule = { description: 'Month, `YYYY-MM`.', maxLength: 7, pattern: MONTH, example };
  return PathText('period', rule, new MonthPipe());
}

@ApiGroup('Accounting periods', {
  position: 120,
  description: 'Staff: months of the books, which are closed, reopened and filed.',
})
@Controller('/v1/admin/finance/periods')
export class PeriodsController {
  constructor(private readonly periods: PeriodClosingService) {}

  /**
   * Get an accounting period
   *
   * @remarks Returns the status and the figures of a month, and for an open one the blockers of its closing. Months in which
   * nothing was posted yet are open.
   */
  @Get(':period')
  @ComputedNow()
  @RequireScope('finance:read')
  async get(@PathMonth() period: string): Promise<PeriodEnvelope> {
    const view = await this.periods.get(period);
    return tagged(view.period, { data: toPeriod(view) });
  }

  /**
   * Close an accounting period
   *
   * @remarks From now on nothing is posted in the month: documents need a later issue date, and payments, reversals and
   * supplier invoices are posted on the first open day. The month must have ended and the earlier ones must be closed, and
   * nothing may block it. The figures of the main reports are stored.
   */
  @Post(':period/closing')
  @HttpCode(200)
  @RequireScope('finance:close')
  @Mutates('finance.period.close')
  @Refuses({ 409: ['invalid_transition', 'period_out_of_order', 'period_has_blockers'] })
  async close(
    @PathMonth() period: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<PeriodEnvelope> {
    const view = await this.periods.close(period, expected);
    return tagged(view.period, { data: toPeriod(view) });
  }

  /**
   * Reopen an accounting period
   *
   * @remarks Reopens the latest closed month. Earlier months and filed months stay closed.
   */
  @Post(':period/reopening')
  @HttpCode(200)
  @RequireScope('finance:close')
  @Mutates('finance.period.reopen', { irreversible: 'Closing verifies the books: close the period again' })
  @Refuses({ 409: ['invalid_transition', 'period_out_of_order'] })
  async reopen(
    @PathMonth() period: string,
    @Body() { reason }: ReopenPeriod,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PeriodEnvelope> {
    const view = await this.periods.reopen(period, reason, expected);
    return tagged(view.period, { data: toPeriod(view) });
  }

  /**
   * File an accounting period
   *
   * @remarks Records that the figures of a closed month were reported to the tax office. This is final: a filed month cannot be
   * reopened.
   */
  @Post(':period/filing')
  @HttpCode(200)
  @RequireScope('finance:close')
  @Mutates('finance.period.file', { irreversible: 'The authority has the return: a filed period is final' })
  @Refuses({ 409: ['invalid_transition'] })
  async file(
    @PathMonth('2025-10') period: string,
    @Body() { reference }: FilePeriod,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PeriodEnvelope> {
    const view = await this.periods.file(period, reference, expected);
    return tagged(view.period, { data: toPeriod(view) });
  }
}
