import { Injectable } from '@nestjs/common';

/** An invoice that is about to get its number. */
export interface IssuedNow {
  id: string;
  bookingId: string;
  scheduleId: string | null;
  totalCents: number;
  issueDate: string;
}

/** What invoices ask of payments. */
export interface EarlyPayments {
  /**
   * Lets money that came in before the invoice count on it. Called in the running transaction with the booking and the
   * invoice locked. Answers how many minor units of the total are paid; writing that is left to the caller.
   */
  settleAtIssue(invoice: IssuedNow): Promise<number>;
}

/** Asked by invoices, which stand below the payments. Until these register, there is no money. */
@Injectable()
export class InvoiceMoney implements EarlyPayments {
  private payments: EarlyPayments | null = null;

  /** Call it in `onModuleInit`. */
  register(payments: EarlyPayments): void {
    this.payments = payments;
  }

  async settleAtIssue(invoice: IssuedNow): Promise<number> {
    return (await this.payments?.settleAtIssue(invoice)) ?? 0;
  }
}
