import { Injectable } from '@nestjs/common';
import type { TripView } from '../envelopes/trip-rows.service.js';
import { Attempts } from './attempts.service.js';
import { Compensations } from './compensations.service.js';
import { showHeld } from './holds.service.js';
import { Openings } from './openings.service.js';
import { OutsideHolds, type Patience } from './outside-holds.service.js';
import type { Step } from './plan.js';
import { type Claim, Fenced, inProgress, type Running, SagaBook } from './saga-book.service.js';

/** A step that is being taken. */
interface Taken {
  claim: Claim;
  running: Running;
  step: Step;
}

/** A reservation with providers outside: asked one after the other, and every answer committed before the next question. */
@Injectable()
export class Saga {
  constructor(
    private readonly openings: Openings,
    private readonly book: SagaBook,
    private readonly outside: OutsideHolds,
    private readonly attempts: Attempts,
    private readonly compensations: Compensations,
  ) {}

  /** From a claim of which nothing is stored but the claim itself. Throws what `Reservations.reserve` says. */
  async carryOn(claim: Claim): Promise<TripView> {
    const patience = this.outside.patience();
    return answering(async () => this.goOn(claim, await this.openings.open(claim), patience));
  }

  /** From wherever somebody else left it. Null where that was before anything was held: the trip has only its prices. */
  async recover(claim: Claim): Promise<TripView | null> {
    return answering(async () => {
      const running = await this.book.read(claim);
      return running && this.goOn(claim, running, this.outside.patience());
    });
  }

  private async goOn(claim: Claim, running: Running, patience: Patience): Promise<TripView> {
    const { plan } = running;
    for (const step of plan.steps) {
      if (plan.status === 'compensating' || plan.steps.some(({ status }) => status === 'failed')) break;
      if (['pending', 'dispatching', 'unknown'].includes(step.status)) {
        await this.take({ claim, running, step }, patience);
      }
    }
    if (plan.steps.every(({ status }) => status === 'held')) return this.finish(claim, running);
    throw await this.compensations.compensate(claim, running);
  }

  /** The step is held or failed afterwards. Throws 409 `reservation_in_progress` where nobody knows yet. */
  private async take(taken: Taken, patience: Patience): Promise<void> {
    const { claim, running, step } = taken;
    if (patience.isOver()) await this.book.handOver(claim, running);
    const held = await this.ask(taken, patience);
    if (held === null) {
      step.status = 'unknown';
      await this.book.handOver(claim, running);
    } else if (held.held) Object.assign(step, { status: 'held', holdExpiresAt: held.expiresAt });
    else Object.assign(step, { status: 'failed', failure: { code: held.code, message: held.message } });
    showHeld(running.plan, running.components);
    await this.book.write(claim, running);
  }

  /** What was asked for once is looked up, never asked for again. */
  private async ask({ claim, running, step }: Taken, patience: Patience) {
    if (step.status !== 'pending') return this.outside.find(step, patience);
    Object.assign(step, { status: 'dispatching', attempts: step.attempts + 1 });
    await this.book.write(claim, running);
    return this.outside.hold(step, patience);
  }

  private async finish(claim: Claim, running: Running): Promise<TripView> {
    return this.book.end(claim, running, {
      change: ({ trip, components, plan }) => {
        this.attempts.reserve(trip, plan, showHeld(plan, components));
      },
      tell: ({ trip, plan }, before) => {
        this.attempts.tellReserved({ trip, before }, plan);
      },
    });
  }
}

async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fenced) throw inProgress();
    throw error;
  }
}
