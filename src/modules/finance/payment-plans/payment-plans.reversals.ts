import { Injectable } from '@nestjs/common';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertUnchangedSince, type RecordedAction, Reverses, type ReversalResult } from '../../action-ledger/index.js';
import { PaymentPlansService } from './payment-plans.service.js';
import { StoredInstallment } from './payment-schedule.dto.js';

/** Reverses ledger entries of installments. */
@Injectable()
export class PaymentPlanReversals {
  constructor(private readonly plans: PaymentPlansService) {}

  /** Restores an installment that is not paid; the plan still adds up. Throws 409 `changed_since`, `schedule_paid`, ... */
  @Reverses('finance.payment_schedule.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const before = await checkedAs(StoredInstallment, entry.before);
    return this.plans.reverseUpdate(before, (installment) => assertUnchangedSince(entry, installment));
  }
}
