import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { unprocessable } from '../../../../platform/errors/app-error.js';
import { PeriodsService } from '../periods/periods.service.js';
import { FinanceSettingsService } from '../settings/finance-settings.service.js';

const DAY_MS = 86_400_000;

/** On which days money may have moved, and on which days that is posted. */
@Injectable()
export class PaymentDaysService {
  constructor(
    private readonly settings: FinanceSettingsService,
    private readonly periods: PeriodsService,
    private readonly clock: Clock,
  ) {}

  /**
   * The posting date of money that moved on this day, which must not lie in the future, further back than the settings allow,
   * or before `notBefore`.
   */
  async postingDateOf(paidOn: string, notBefore: string | null = null): Promise<string> {
    const { paidOnBackDays } = await this.settings.get();
    const latest = this.clock.today();
    const oldest = new Date(Date.parse(latest) - paidOnBackDays * DAY_MS).toISOString().slice(0, 10);
    assertWithin('paidOn', paidOn, { earliest: notBefore !== null && notBefore > oldest ? notBefore : oldest, latest });
    return this.periods.postingDateOf(paidOn);
  }

  /** The posting date of money that moved back on this day. */
  async reversalPostingDateOf(reversedOn: string, paidOn: string): Promise<string> {
    assertWithin('reversedOn', reversedOn, { earliest: paidOn, latest: this.clock.today() });
    return this.periods.postingDateOf(reversedOn);
  }
}

function assertWithin(field: string, day: string, { earliest, latest }: { earliest: string; latest: string }): void {
  if (earliest <= day && day <= latest) return;
  throw unprocessable('paid_on_out_of_bounds', `The day must be between ${earliest} and ${latest}`, {
    field,
    earliest,
    latest,
  });
}
