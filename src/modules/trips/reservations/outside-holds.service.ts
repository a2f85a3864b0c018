import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import type { Held, Refusal } from '../providers/provider.js';
import { Providers, within } from '../providers/providers.service.js';
import type { Step } from './plan.js';

const MOST_PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 100;

/** How long one call goes on asking. */
export class Patience {
  private readonly end: number;

  constructor(ms: number) {
    this.end = performance.now() + ms;
  }

  isOver(): boolean {
    return performance.now() > this.end;
  }
}

/** Asks providers outside, in no transaction. Null is an outcome that nobody knows yet. */
@Injectable()
export class OutsideHolds {
  constructor(
    private readonly providers: Providers,
    private readonly env: Env,
  ) {}

  /** Ten seconds, but so that the request is answered before its deadline. */
  patience(): Patience {
    return new Patience(Math.min(MOST_PATIENCE_MS, this.env.requestDeadlineMs / 2));
  }

  /** The key is known to nobody yet. */
  async hold(step: Step, patience: Patience): Promise<Held | null> {
    const provider = this.providers.external(step.provider);
    const held = await within(provider.hold(step.providerKey, step.offer)).catch(unknown);
    return held ?? this.find(step, patience);
  }

  /** What became of a hold that was asked for; neither repeated nor given up blindly. */
  async find(step: Step, patience: Patience): Promise<Held | null> {
    for (let ms = FIRST_PAUSE_MS; ; ms *= 2) {
      const found = await this.lookUp(step);
      if (found !== null || patience.isOver()) return found;
      await pause(ms);
    }
  }

  /** Whether the provider took it back. */
  async release(step: Step): Promise<boolean> {
    const provider = this.providers.external(step.provider);
    const released = within(provider.release(step.providerKey, step.offer)).then(() => true);
    return released.catch(() => false);
  }

  /** Why the provider did not make the hold final, or null. */
  async confirm(step: Step): Promise<Refusal | null> {
    const confirmed = within(this.providers.external(step.provider).confirm(step.providerKey, step.offer));
    return confirmed.catch(() => ({ code: 'no_answer', message: 'The provider did not answer' }));
  }

  private async lookUp(step: Step): Promise<Held | null> {
    const found = await within(this.providers.external(step.provider).lookup(step.providerKey)).catch(() => undefined);
    if (found === undefined) return null;
    if (found) return found;
    // The request may still be on its way. A key that was released can be held no more.
    if (!(await this.release(step))) return null;
    return { held: false, code: 'not_received', message: 'The provider never received the request' };
  }
}

function unknown(): null {
  return null;
}
