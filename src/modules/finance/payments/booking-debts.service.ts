import { Injectable } from '@nestjs/common';
import { BookingsService } from '../../bookings/index.js';
import { BookingDebt } from './booking-debt.js';
import type { Debt } from './debt.js';
import { InstallmentSettlement } from './installment-settlement.service.js';
import { InvoiceSettlement } from './invoice-settlement.service.js';
import { LateInvoices } from './late-invoices.service.js';
import { type HeldBooking, LatePlans } from './late-plans.service.js';

/** What customers owe us: money for a booking settles its open installments, and on them its invoices. */
@Injectable()
export class BookingDebts {
  constructor(
    private readonly bookings: BookingsService,
    private readonly installments: InstallmentSettlement,
    private readonly invoices: InvoiceSettlement,
    private readonly lateInvoices: LateInvoices,
    private readonly latePlans: LatePlans,
  ) {}

  /** Holds the booking, its invoices and its installments until the transaction ends. Throws 404 with details {field}. */
  async lock(bookingId: string): Promise<Debt> {
    return this.debtOf(await this.hold(bookingId));
  }

  /**
   * The same, after money that came before the plan or the invoice has been brought to it. Not for who changes a payment:
   * its version may rise.
   */
  async lockCaughtUp(bookingId: string): Promise<Debt> {
    const held = await this.hold(bookingId);
    await this.latePlans.catchUp(held);
    await this.lateInvoices.catchUp(bookingId, held.invoices);
    return this.debtOf(held);
  }

  private async hold(bookingId: string): Promise<HeldBooking> {
    const booking = await this.bookings.lock(bookingId, { field: 'bookingId' });
    const invoices = await this.invoices.lock(bookingId);
    const installments = await this.installments.lock(bookingId);
    return { booking, invoices, installments };
  }

  private debtOf({ booking, invoices, installments }: HeldBooking): Debt {
    return new BookingDebt({ installments, invoices }, booking.currency, async (shares, sign) => {
      await this.invoices.move(invoices, shares, sign);
      await this.installments.move({ booking, installments }, shares, sign);
      if (sign === 1) await this.lateInvoices.catchUp(booking.id, invoices);
    });
  }
}
