import { Injectable, type OnModuleInit } from '@nestjs/common';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertUnchangedSince, Reversals } from '../../action-ledger/index.js';
import { PaymentSchedules } from './payment-schedules.service.js';
import { ScheduleFacts } from './schedule-facts.dto.js';

/** A change of an installment is undone while it is not paid, and so that the plan keeps adding up. */
@Injectable()
export class ScheduleUndos implements OnModuleInit {
  constructor(
    private readonly reversals: Reversals,
    private readonly schedules: PaymentSchedules,
  ) {}

  onModuleInit(): void {
    this.reversals.register('finance.payment_schedule.update', {
      reverse: async (entry) => {
        const facts = await checkedAs(ScheduleFacts, entry.before);
        return this.schedules.undo(facts, (held) => assertUnchangedSince(entry, held));
      },
    });
  }
}
