import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { unprocessable } from '../../../../platform/errors/app-error.js';
import { PeriodsService } from '../periods/periods.service.js';
import { FinanceSettingsService } from '../settings/finance-settings.service.js';

const DAY_MS = 86_400_000;

/** Checks the days on which money moved, and determines the days on which that is posted. */
@Injectable()
export class PaymentDaysService {
  constructor(
    private readonly settings: FinanceSettingsService,
    private readonly periods: PeriodsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the posting date of money that moved on this day, which must not be in the future, further back than the settings
   * allow, or before `notBefore`.
   */
  async postingDateOf(paidOn: string, notBefore: string | null = null): Promise<string> {
    const { paidOnBackDays } = await this.settings.get();
    const latest = this.clock.today();
    const oldest = new Date(Date.parse(latest) - paidOnBackDays * DAY_MS).toISOString().slice(0, 10);
    assertWithin('paidOn', paidOn, { earliest: notBefore !== null && notBefore > oldest ? notBefore : oldest, latest });
    return this.periods.postingDateOf(paidOn);
  }

  /** Returns the posting date of money that moved back on this day. */
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
