import type { Debt, RequestedShare, Share } from '../../books/index.js';
import type { AllocationsService } from '../account/allocations.service.js';
import type { BookingAccount } from '../account/booking-account.js';
import type { BookingAccountsService } from '../account/booking-accounts.service.js';

/** Money for a booking settles its open installments and, with them, its invoices. */
export class BookingDebt implements Debt {
  readonly currency: string;

  constructor(
    private readonly account: BookingAccount,
    private readonly accounts: BookingAccountsService,
    private readonly allocations: AllocationsService,
  ) {
    this.currency = account.booking.currency;
  }

  async automatic(cents: number): Promise<Share[]> {
    return (await this.accounts.openDebts(this.account)).take(cents);
  }

  requested(requested: readonly RequestedShare[], availableCents: number): Share[] {
    return this.account.requestedShares(requested, availableCents);
  }

  async settle(shares: readonly Share[]): Promise<void> {
    await this.allocations.count(this.account, shares, 'paid');
  }

  async unsettle(shares: readonly Share[]): Promise<void> {
    await this.allocations.count(this.account, shares, 'unpaid');
  }

  async applyMoney(): Promise<void> {
    await this.accounts.applyMoney(this.account);
  }
}
