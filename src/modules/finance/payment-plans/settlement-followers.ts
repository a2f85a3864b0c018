import { Injectable } from '@nestjs/common';

type Follower = (bookingId: string) => Promise<void>;

/**
 * Those who act once a booking is paid, or is no longer (its commissions become payable, or fall back). Whoever changes
 * installments or their money tells them, in the same transaction and with the booking locked.
 */
@Injectable()
export class SettlementFollowers {
  private readonly followers: Follower[] = [];

  /** Call it in `onModuleInit`. The follower reads the installments itself. */
  register(follower: Follower): void {
    this.followers.push(follower);
  }

  async settled(bookingId: string): Promise<void> {
    for (const follow of this.followers) await follow(bookingId);
  }
}
