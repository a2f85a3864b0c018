import type { Outstanding } from './outstanding.js';
import { type Share, sumOfShares } from '../../books/index.js';

/** A completed refund or outgoing transfer that money of the booking does not cover completely. */
export interface UncoveredRefund {
  id: string;
  uncoveredCents: number;
}

/**
 * The debts that received money settles automatically, in this order: open installments with their invoices, open invoices
 * alone, then uncovered refunds; in each group the earliest day first. Invoices get no more than the booking's claim, because
 * the excess should not have been billed.
 */
export class OpenDebts {
  private readonly refunds: UncoveredRefund[];

  constructor(
    private readonly outstanding: Outstanding,
    refunds: readonly UncoveredRefund[],
    /** The claim, less the money that already settles installments or invoices. */
    private left: number,
  ) {
    this.refunds = refunds.map((refund) => ({ ...refund }));
  }

  /** The amount that invoices may get. */
  get claimLeftCents(): number {
    return Math.max(0, this.left);
  }

  /** Returns the shares of this amount, and reduces the open debts by them; the shares may add up to less. */
  take(cents: number): Share[] {
    const ofInstallments = this.outstanding.spread(cents).map(toShare);
    let left = cents - sumOfShares(ofInstallments);
    this.left -= sumOfShares(ofInstallments);
    const ofInvoices = this.outstanding.spreadOverInvoices(Math.min(left, this.claimLeftCents)).map(toShare);
    left -= sumOfShares(ofInvoices);
    this.left -= sumOfShares(ofInvoices);
    return [...ofInstallments, ...ofInvoices, ...this.takeRefunds(left)];
  }

  private takeRefunds(cents: number): Share[] {
    let left = cents;
    return this.refunds.flatMap((refund) => {
      const part = Math.min(left, refund.uncoveredCents);
      left -= part;
      refund.uncoveredCents -= part;
      return part > 0 ? [coverOf(refund.id, part)] : [];
    });
  }
}

/** Returns the part of a receipt that covers a refund. */
export function coverOf(refundId: string, amountCents: number): Share {
  return { scheduleId: null, invoiceId: null, supplierInvoiceId: null, refundId, amountCents };
}

export function toShare(share: Pick<Share, 'scheduleId' | 'invoiceId' | 'amountCents'>): Share {
  return { ...share, supplierInvoiceId: null, refundId: null };
}
