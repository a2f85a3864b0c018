import { Injectable } from '@nestjs/common';
import type { DepartureFacts } from './departure-facts.js';

/**
 * What follows a departure's changes by staff, in their transaction, with the departure stored and locked and its product
 * held by `Departures.holdProduct`. Whatever a follower throws refuses the change.
 */
export interface DepartureFollower {
  created?(departure: DepartureFacts): Promise<void>;
  /** Nothing of it is sold or held; what is guaranteed is to be given back here. */
  cancelled?(departure: DepartureFacts): Promise<void>;
  /** It starts at another instant or in another time zone. */
  moved?(departure: DepartureFacts, before: DepartureFacts): Promise<void>;
}

/** Those who follow register at boot, and are called in the order of their numbers. */
@Injectable()
export class DepartureFollowers {
  private followers: { order: number; follower: DepartureFollower }[] = [];

  register(order: number, follower: DepartureFollower): void {
    this.followers = [...this.followers, { order, follower }].sort((a, b) => a.order - b.order);
  }

  /** Calls this member of every follower that has it, one after the other. */
  async tell(say: (follower: DepartureFollower) => Promise<void> | undefined): Promise<void> {
    for (const { follower } of this.followers) await say(follower);
  }
}
