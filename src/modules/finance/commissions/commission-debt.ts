import type { Debt, Share } from '../books/index.js';
import type { CommissionLine } from './commission-line.entity.js';

/** The payout of a commission settles it completely and without allocations. */
export class CommissionDebt implements Debt {
  readonly currency: string;

  constructor(
    private readonly commission: CommissionLine,
    /** Makes the commission payable again. */
    private readonly withdrawPayout: (reason: string) => Promise<void>,
  ) {
    this.currency = commission.currency;
  }

  async automatic(): Promise<Share[]> {
    return Promise.resolve([]);
  }

  requested(): Share[] {
    return [];
  }

  /** The commission was paid before its payment was recorded. */
  async settle(): Promise<void> {}

  async unsettle(_: readonly Share[], reason = ''): Promise<void> {
    await this.withdrawPayout(reason);
  }

  async applyMoney(): Promise<void> {}
}
