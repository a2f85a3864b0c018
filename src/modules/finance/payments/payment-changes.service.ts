import { Injectable } from '@nestjs/common';
import type { Payment } from './payment.entity.js';
import type { PaymentAllocation } from './payment-allocation.entity.js';
import { PaymentAllocations } from './payment-allocations.service.js';
import { PaymentJournal, snapshot } from './payment-journal.js';
import { PaymentRows } from './payment-rows.service.js';

export interface Change {
  payment: Payment;
  before: object;
}

/** Changes of several payments at once, each told for itself. */
@Injectable()
export class PaymentChanges {
  constructor(
    private readonly rows: PaymentRows,
    private readonly allocations: PaymentAllocations,
    private readonly journal: PaymentJournal,
  ) {}

  /** Remembers held payments as they are. */
  async begin(payments: readonly Payment[]): Promise<Change[]> {
    const allocations = await this.allocations.liveOf(payments.map(({ id }) => id));
    return payments.map((payment) => ({ payment, before: snapshot(viewOf(payment, allocations)) }));
  }

  /** Writes what is unapplied of them now, and tells what became of each. */
  async conclude(changes: readonly Change[], verb: 'allocate' | 'deallocate'): Promise<void> {
    await this.rows.save(changes.map(({ payment }) => payment));
    const allocations = await this.allocations.liveOf(changes.map(({ payment }) => payment.id));
    for (const { payment, before } of changes) this.journal.tell(verb, viewOf(payment, allocations), { before });
  }
}

function viewOf(payment: Payment, allocations: readonly PaymentAllocation[]) {
  return { payment, allocations: allocations.filter(({ paymentId }) => paymentId === payment.id) };
}
