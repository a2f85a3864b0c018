import { Injectable } from '@nestjs/common';
import { type RecordedAction, Reverses, type ReversalResult } from '../../action-ledger/index.js';
import { PaymentsService } from './payments.service.js';

/** Reverses ledger entries of payments. */
@Injectable()
export class PaymentReversals {
  constructor(private readonly payments: PaymentsService) {}

  /** Reverses a payment that was recorded by mistake. Throws 404, 409 `invalid_transition`. */
  @Reverses('finance.payment.record')
  async reverseRecording({ subjectId }: RecordedAction, reason: string): Promise<ReversalResult> {
    return this.payments.reverseRecording(subjectId, reason);
  }
}
