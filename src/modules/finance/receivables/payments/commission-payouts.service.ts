import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { type RecordedAction, type ReversalResult, Reverses } from '../../../action-ledger/index.js';
import { type CommissionLine, CommissionsService, type CommissionTarget } from '../../commissions/index.js';
import type { PayCommission } from './commission-payout.dto.js';
import { PaymentsService } from './payments.service.js';

/** Pays commissions out: marks the commission as paid and records a payment with day and method. */
@Injectable()
export class CommissionPayoutsService {
  constructor(
    private readonly database: Database,
    private readonly commissions: CommissionsService,
    private readonly payments: PaymentsService,
  ) {}

  async payOut(
    target: CommissionTarget,
    { method = 'bank_transfer', ...payout }: PayCommission,
  ): Promise<CommissionLine> {
    return this.database.transaction(async () => {
      const line = await this.commissions.payOut(target, payout);
      // No money moves for a commission of 0.
      if (line.amountCents !== 0) await this.payments.recordPayout(line, { method, ...payout });
      return line;
    });
  }

  /** Reverses the payment of a payout; the commission is payable again. */
  @Reverses('finance.commission.pay', { effect: 'finance.payment.reverse' })
  async reversePayout({ subjectId }: RecordedAction, reason: string): Promise<ReversalResult> {
    const before = await this.commissions.imageOf(subjectId);
    await this.payments.reversePayoutOf(subjectId, reason);
    return { before, after: await this.commissions.imageOf(subjectId) };
  }
}
