import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { type BookingSummary, BookingsService } from '../../bookings/index.js';
import type { PayableTrigger } from './commission-line.entity.js';
import { CommissionMoves } from './commission-moves.service.js';
import { CommissionRows } from './commission-rows.service.js';

interface Reached {
  paid: boolean;
  departed: boolean;
}

const IS_MET: Record<PayableTrigger, (reached: Reached) => boolean> = {
  paid_in_full: ({ paid }) => paid,
  departed: ({ departed }) => departed,
  both: ({ paid, departed }) => paid && departed,
};

/** Which commissions of a booking may be paid out: decided anew whenever its money, its date or the day has changed. */
@Injectable()
export class CommissionSettlement {
  constructor(
    private readonly bookings: BookingsService,
    private readonly rows: CommissionRows,
    private readonly moves: CommissionMoves,
    private readonly clock: Clock,
  ) {}

  /** In the running transaction, with the booking locked. */
  async settle(bookingId: string): Promise<void> {
    const lines = (await this.rows.ofBooking(bookingId)).filter((line) => line.isOpen() && line.status !== 'pending');
    if (lines.length === 0) return;
    const booking = await this.bookings.getSummary(bookingId);
    if (booking.status === 'cancelled') return;

    const reached = await this.reachedBy(booking);
    const isMet = ({ payableTrigger }: { payableTrigger: PayableTrigger }) => IS_MET[payableTrigger](reached);
    await this.moves.release(lines.filter((line) => line.status === 'accrued' && isMet(line)));
    await this.moves.withdraw(lines.filter((line) => line.status === 'payable' && !isMet(line)));
  }

  private async reachedBy({ id, totalCents, departureDate }: BookingSummary): Promise<Reached> {
    return {
      paid: totalCents === 0 || (await this.rows.isPaid(id)),
      departed: departureDate !== null && departureDate < this.clock.today(),
    };
  }
}
