import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import type { TripComponent } from '../components/component.entity.js';
import { OURS_SECONDS, type ProviderName } from '../providers/provider.js';
import { Providers } from '../providers/providers.service.js';
import type { Plan, Step } from './plan.js';

/** These jobs tell a provider outside what became of a hold, once our side of it is committed. */
export const RELEASE_JOB = 'trips.steps.release';
export const CONFIRM_JOB = 'trips.steps.confirm';

/** Something that was taken for held is not: nothing of what was stored with it may stay. */
export class NotHeld extends Error {}

/** Holds as our transactions see them: ours move at once, those of others are left to jobs. */
@Injectable()
export class Holds {
  constructor(
    private readonly providers: Providers,
    private readonly jobs: Jobs,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Holds all that is ours. Where one is refused, the others are given back; whether all are held. */
  async holdOurs(plan: Plan): Promise<boolean> {
    const ours = this.oursOf(plan);
    for (const step of ours) {
      const held = await this.providers.named(step.provider).hold(step.providerKey, step.offer);
      step.attempts += 1;
      if (held.held) Object.assign(step, { status: 'held', holdExpiresAt: held.expiresAt });
      else Object.assign(step, { status: 'failed', failure: { code: held.code, message: held.message } });
    }
    if (ours.every(({ status }) => status === 'held')) return true;
    await this.releaseOurs(plan);
    return false;
  }

  /** Takes all that is ours for held, so that it can be stored before it is. */
  presumeOurs(plan: Plan): void {
    const held = { status: 'held' as const, holdExpiresAt: this.clock.inSeconds(OURS_SECONDS) };
    for (const step of this.oursOf(plan)) Object.assign(step, held, { attempts: step.attempts + 1 });
  }

  /**
   * Stores what was presumed and then holds it, in one round trip: a departure that everybody wants is locked from the last
   * of its statements to the commit, and not while the rest is written. Throws `NotHeld`.
   */
  async holdPresumed(plan: Plan, store: () => Promise<void>): Promise<void> {
    const sent = this.database.together(() => [
      store(),
      ...this.oursOf(plan).map(async ({ provider, providerKey, offer }) => {
        const { held } = await this.providers.named(provider).hold(providerKey, offer);
        if (!held) throw new NotHeld('Something is not to be had any more');
      }),
    ]);
    await Promise.all(sent);
  }

  async releaseOurs(plan: Plan): Promise<void> {
    for (const step of this.oursOf(plan).filter(({ status }) => status === 'held')) {
      await this.providers.named(step.provider).release(step.providerKey, step.offer);
      step.status = 'released';
    }
  }

  /** Gives everything back that the plan holds; what lies outside by a job that repeats it until it succeeds. */
  async releaseAll(plan: Plan): Promise<void> {
    await this.releaseOurs(plan);
    for (const step of this.leaveOutside(plan)) await this.jobs.add(RELEASE_JOB, { stepId: step.id });
  }

  /** What lies outside is still to be released, by whoever calls this. */
  leaveOutside(plan: Plan): Step[] {
    const left = plan.steps.filter(({ status }) => status === 'held');
    for (const step of left) step.status = 'releasing';
    plan.status = 'released';
    return left;
  }

  /** Whether something could not be released; a job repeats it until it is. */
  async releaseLater(plan: Plan): Promise<boolean> {
    const left = plan.steps.filter(({ status }) => status === 'release_failed');
    for (const step of left) await this.jobs.add(RELEASE_JOB, { stepId: step.id });
    return left.length > 0;
  }

  /** Makes everything final that the plan holds. */
  async confirmAll(plan: Plan): Promise<void> {
    for (const step of this.oursOf(plan)) {
      await this.providers.named(step.provider).confirm(step.providerKey, step.offer);
      step.status = 'confirmed';
    }
    for (const step of plan.steps.filter(({ status }) => status === 'held')) {
      step.status = 'confirming';
      await this.jobs.add(CONFIRM_JOB, { stepId: step.id });
    }
    plan.status = 'booked';
  }

  isOurs(provider: ProviderName): boolean {
    return this.providers.named(provider).isInternal;
  }

  /** In the order in which departures are locked. */
  private oursOf(plan: Plan): Step[] {
    return plan.steps.filter(({ provider }) => this.isOurs(provider));
  }
}

/** Of a plan whose steps are held; the components show it. Returns when the first hold ends. */
export function showHeld(plan: Plan, components: readonly TripComponent[]): Date {
  const held = plan.steps.filter(({ status }) => status === 'held');
  for (const { componentId, holdExpiresAt } of held) {
    const component = components.find(({ id }) => id === componentId);
    if (component && holdExpiresAt && component.status !== 'held') component.hold(holdExpiresAt);
  }
  return new Date(Math.min(...held.map(({ holdExpiresAt }) => holdExpiresAt?.getTime() ?? Infinity)));
}
