import { Injectable } from '@nestjs/common';
import type { AppError } from '../../../platform/errors/app-error.js';
import { Attempts, reservationFailed } from './attempts.service.js';
import { Holds } from './holds.service.js';
import { OutsideHolds } from './outside-holds.service.js';
import type { Step } from './plan.js';
import { type Claim, type Running, SagaBook } from './saga-book.service.js';

/** The way back of a reservation: what was held is released in the reverse order. */
@Injectable()
export class Compensations {
  constructor(
    private readonly book: SagaBook,
    private readonly attempts: Attempts,
    private readonly outside: OutsideHolds,
    private readonly holds: Holds,
  ) {}

  /** Returns what the caller is told. What could not be released is left to a job, and to somebody's attention. */
  async compensate(claim: Claim, running: Running): Promise<AppError> {
    const { plan } = running;
    plan.status = 'compensating';
    const outside = this.outsideOf(running);
    for (const step of outside) step.status = 'releasing';
    await this.book.write(claim, running);
    for (const step of outside) {
      const isReleased = await this.outside.release(step);
      Object.assign(step, { status: isReleased ? 'released' : 'release_failed', attempts: step.attempts + 1 });
      await this.book.write(claim, running);
    }
    const failed = await this.fail(claim, running);
    return reservationFailed(failed.plan);
  }

  /** Everything of ours is given back in the transaction that says that the reservation failed. */
  private async fail(claim: Claim, running: Running): Promise<Running> {
    return this.book.end(claim, running, {
      change: async ({ trip, components, plan }) => {
        await this.holds.releaseOurs(plan);
        this.attempts.showFailed(trip, components, plan);
        if (await this.holds.releaseLater(plan)) trip.attention = true;
      },
      tell: ({ trip, plan }, before) => {
        this.attempts.tellFailed({ trip, before }, plan);
      },
    });
  }

  /** Held outside, the last one first; or being released when somebody else left off. */
  private outsideOf({ plan }: Running): Step[] {
    const isDue = ({ provider, status }: Step) =>
      !this.holds.isOurs(provider) && ['held', 'releasing'].includes(status);
    return plan.steps.filter(isDue).reverse();
  }
}
