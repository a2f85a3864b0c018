import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EarlyPayments, InvoiceMoney, type IssuedNow } from '../invoices/invoice-money.js';
import type { Invoice } from '../invoices/invoice.entity.js';
import { openOf, toShare } from './booking-debt.js';
import { type Share, sumOfShares } from './debt.js';
import { EarlyMoney } from './early-money.service.js';
import { InvoiceSettlement } from './invoice-settlement.service.js';
import { type OpenInvoice, Outstanding } from './outstanding.js';
import { PaymentAllocations } from './payment-allocations.service.js';

/**
 * Money that had settled an installment before there was an invoice for it: a deposit comes in, the invoice goes out over
 * the whole, the balance follows. What came early counts on the invoice as soon as that is issued.
 */
@Injectable()
export class LateInvoices implements EarlyPayments, OnModuleInit {
  constructor(
    private readonly port: InvoiceMoney,
    private readonly invoices: InvoiceSettlement,
    private readonly allocations: PaymentAllocations,
    private readonly early: EarlyMoney,
  ) {}

  onModuleInit(): void {
    this.port.register(this);
  }

  async settleAtIssue({ id, bookingId, scheduleId, totalCents, issueDate }: IssuedNow): Promise<number> {
    return sumOfShares(await this.bring(bookingId, [{ id, scheduleId, issueDate, outstandingCents: totalCents }]));
  }

  /** The booking and its invoices are held. */
  async catchUp(bookingId: string, invoices: readonly Invoice[]): Promise<void> {
    await this.invoices.move(invoices, await this.bring(bookingId, invoices.flatMap(openOf)), 1);
  }

  /** What counts on the invoices now, and did not before. */
  private async bring(bookingId: string, invoices: readonly OpenInvoice[]): Promise<Share[]> {
    const outstanding = new Outstanding([], invoices);
    if (outstanding.isEmpty()) return [];
    const replacements = (await this.allocations.withoutInvoice(bookingId))
      .map((allocation) => ({
        allocation,
        shares: outstanding.late(allocation.scheduleId, allocation.amountCents).map(toShare),
      }))
      .filter(({ shares }) => shares.some(({ invoiceId }) => invoiceId !== null));
    await this.early.replace(replacements);
    return replacements.flatMap(({ shares }) => shares).filter(({ invoiceId }) => invoiceId !== null);
  }
}
