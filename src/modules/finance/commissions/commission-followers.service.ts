import { Injectable } from '@nestjs/common';
import type { BookingItemSummary, BookingSummary } from '../../bookings/index.js';
import { CommissionMoves } from './commission-moves.service.js';
import { CommissionRows } from './commission-rows.service.js';
import { CommissionSettlement } from './commission-settlement.service.js';

/**
 * Lets commissions follow their booking, in its transactions: after the plans (10), whose installments decide, and the
 * invoices (20), which may reject the change.
 */
@Injectable()
export class CommissionFollowers {
  constructor(
    private readonly rows: CommissionRows,
    private readonly moves: CommissionMoves,
    private readonly settlement: CommissionSettlement,
  ) {}

  async confirmed({ id }: BookingSummary): Promise<void> {
    const lines = await this.rows.ofBooking(id);
    await this.moves.accrue(lines.filter(({ status }) => status === 'pending'));
    await this.settlement.settle(id);
  }

  async cancelled({ id }: BookingSummary, reason: string): Promise<void> {
    await this.moves.takeBack(await this.rows.ofBooking(id), reason);
  }

  async totalChanged({ id }: BookingSummary): Promise<void> {
    await this.settlement.settle(id);
  }

  async itemChanged(_: BookingSummary, item: BookingItemSummary): Promise<void> {
    await this.moves.recompute(await this.rows.ofItem(item.id), item);
  }

  async itemCancelled(_: BookingSummary, { id }: BookingItemSummary): Promise<void> {
    await this.moves.takeBack(await this.rows.ofItem(id), 'The item was cancelled');
  }

  async dateMoved({ id }: BookingSummary): Promise<void> {
    await this.settlement.settle(id);
  }
}
