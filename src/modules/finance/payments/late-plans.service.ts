import { Injectable } from '@nestjs/common';
import type { BookingSummary } from '../../bookings/index.js';
import type { Invoice } from '../invoices/invoice.entity.js';
import type { PaymentSchedule } from '../payment-plans/payment-schedule.entity.js';
import { outstandingOf, toShare } from './booking-debt.js';
import { EarlyMoney } from './early-money.service.js';
import { InstallmentSettlement } from './installment-settlement.service.js';
import { PaymentAllocations } from './payment-allocations.service.js';

export interface HeldBooking {
  booking: BookingSummary;
  installments: readonly PaymentSchedule[];
  invoices: readonly Invoice[];
}

/** Money that had paid an invoice before there was a plan: it settles the installments too, so that nobody asks twice. */
@Injectable()
export class LatePlans {
  constructor(
    private readonly installments: InstallmentSettlement,
    private readonly allocations: PaymentAllocations,
    private readonly early: EarlyMoney,
  ) {}

  /** The booking, its invoices and its installments are held. */
  async catchUp({ booking, installments, invoices }: HeldBooking): Promise<void> {
    const outstanding = outstandingOf({ installments, invoices: [] });
    if (outstanding.isEmpty()) return;
    const ownOf = new Map(invoices.map(({ id, scheduleId }) => [id, scheduleId]));
    const replacements = (await this.allocations.withoutInstallment(booking.id))
      .map((allocation) => {
        const { invoiceId, amountCents } = allocation;
        const own = ownOf.get(invoiceId ?? '') ?? null;
        return { allocation, shares: outstanding.latePlan({ invoiceId, own }, amountCents).map(toShare) };
      })
      .filter(({ shares }) => shares.some(({ scheduleId }) => scheduleId !== null));
    await this.early.replace(replacements);
    const shares = replacements.flatMap((replacement) => replacement.shares);
    await this.installments.move({ booking, installments }, shares, 1);
  }
}
