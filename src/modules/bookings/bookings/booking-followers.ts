import { Injectable } from '@nestjs/common';
import type { ItemFacts } from '../items/item-facts.js';
import type { BookingFacts } from './booking-facts.js';

/**
 * What follows a booking's changes, in their transaction and with the booking locked; `booking` is as it is after the
 * change. Whatever a follower throws refuses the change.
 */
export interface BookingFollower {
  confirmed?(booking: BookingFacts): Promise<void>;
  /** All items are cancelled and the total is 0; neither `itemCancelled` nor `totalChanged` is called for it. */
  cancelled?(booking: BookingFacts, reason: string): Promise<void>;
  /** `beforeCents` is null with the first item. Called before `itemChanged` and `itemCancelled`. */
  totalChanged?(booking: BookingFacts, beforeCents: number | null, afterCents: number): Promise<void>;
  /** An item was changed, not added. */
  itemChanged?(booking: BookingFacts, item: ItemFacts): Promise<void>;
  /** One item was cancelled; the booking lives on. */
  itemCancelled?(booking: BookingFacts, item: ItemFacts): Promise<void>;
  /** The departure date is another one. */
  dateMoved?(booking: BookingFacts, before: string | null): Promise<void>;
}

/** Those who follow register at boot, and are called in the order of their numbers. */
@Injectable()
export class BookingFollowers {
  private followers: { order: number; follower: BookingFollower }[] = [];

  register(order: number, follower: BookingFollower): void {
    this.followers = [...this.followers, { order, follower }].sort((a, b) => a.order - b.order);
  }

  /** Calls this member of every follower that has it, one after the other. */
  async tell(say: (follower: BookingFollower) => Promise<void> | undefined): Promise<void> {
    for (const { follower } of this.followers) await say(follower);
  }
}
