import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import type { Share } from './debt.js';
import type { PaymentAllocation } from './payment-allocation.entity.js';
import { PaymentAllocations } from './payment-allocations.service.js';
import { PaymentChanges } from './payment-changes.service.js';
import { PaymentRows } from './payment-rows.service.js';

/** An allocation, and the shares that take its place; they make up its amount. */
export interface Replacement {
  allocation: PaymentAllocation;
  shares: readonly Share[];
}

/** Money that was allocated before all that it settles was there. */
@Injectable()
export class EarlyMoney {
  constructor(
    private readonly rows: PaymentRows,
    private readonly allocations: PaymentAllocations,
    private readonly changes: PaymentChanges,
    private readonly clock: Clock,
  ) {}

  /** Takes allocations back and writes them anew, today, with an entry for each payment. The booking is held. */
  async replace(replacements: readonly Replacement[]): Promise<void> {
    if (replacements.length === 0) return;
    const payments = await this.rows.lockAll([...new Set(replacements.map(({ allocation }) => allocation.paymentId))]);
    const changes = await this.changes.begin(payments);
    await this.allocations.reverse(replacements.map(({ allocation }) => allocation));
    const effectiveOn = this.clock.today();
    await this.allocations.add(
      replacements.flatMap(({ allocation: { paymentId }, shares }) =>
        shares.map((share) => ({ ...share, paymentId, effectiveOn })),
      ),
    );
    await this.changes.conclude(changes, 'allocate');
  }
}
