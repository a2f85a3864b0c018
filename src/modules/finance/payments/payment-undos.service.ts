import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Reversals } from '../../action-ledger/index.js';
import { Payments } from './payments.service.js';

/** A payment that was recorded by mistake is reversed, as staff would do it. */
@Injectable()
export class PaymentUndos implements OnModuleInit {
  constructor(
    private readonly reversals: Reversals,
    private readonly payments: Payments,
  ) {}

  onModuleInit(): void {
    this.reversals.register('finance.payment.record', {
      reverse: ({ subjectId }, reason) => this.payments.undo(subjectId, reason),
    });
  }
}
