import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BookingFollowers } from '../../bookings/index.js';
import { SettlementFollowers } from '../payment-plans/settlement-followers.js';
import { CommissionMoves } from './commission-moves.service.js';
import { CommissionRows } from './commission-rows.service.js';
import { CommissionSettlement } from './commission-settlement.service.js';

/** After the plans (10), whose installments decide, and the invoices (20), which may refuse. */
const ORDER = 30;

/** Lets commissions follow their booking, in its transactions. */
@Injectable()
export class CommissionFollowers implements OnModuleInit {
  constructor(
    private readonly bookings: BookingFollowers,
    private readonly settlements: SettlementFollowers,
    private readonly rows: CommissionRows,
    private readonly moves: CommissionMoves,
    private readonly settlement: CommissionSettlement,
  ) {}

  onModuleInit(): void {
    this.settlements.register((bookingId) => this.settlement.settle(bookingId));
    this.bookings.register(ORDER, {
      confirmed: async ({ id }) => {
        const lines = await this.rows.ofBooking(id);
        await this.moves.accrue(lines.filter(({ status }) => status === 'pending'));
        await this.settlement.settle(id);
      },
      cancelled: async ({ id }, reason) => this.moves.takeBack(await this.rows.ofBooking(id), reason),
      totalChanged: ({ id }) => this.settlement.settle(id),
      itemChanged: async (_, item) => this.moves.recompute(await this.rows.ofItem(item.id), item),
      itemCancelled: async (_, { id }) => this.moves.takeBack(await this.rows.ofItem(id), 'The item was cancelled'),
      dateMoved: ({ id }) => this.settlement.settle(id),
    });
  }
}
