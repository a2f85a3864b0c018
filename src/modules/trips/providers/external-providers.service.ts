import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import type { ExternalProvider, HoldResult, Order, ProviderName, Quote, QuoteRequest, Rejection } from './provider.js';
import { SimulatedProvider } from './simulated-provider.js';

/** After this time an answer counts as lost. */
const CALL_LIMIT_MS = 1_500;
const MAX_LOOKUP_MS = 10_000;
const FIRST_PAUSE_MS = 100;

/** A hold at an external provider, identified by its key. */
export interface ExternalHold {
  readonly provider: ProviderName;
  readonly providerKey: string;
  readonly offer: Order;
}

/** Until when unknown outcomes are looked up, in milliseconds of `performance.now()`. */
export type Deadline = number;

/** Calls external providers, each call with a time limit. Never called inside a transaction. */
@Injectable()
export class ExternalProvidersService {
  constructor(
    private readonly simulated: SimulatedProvider,
    private readonly env: Env,
  ) {}

  /** Ten seconds, or less so that the request is answered before its own deadline. */
  deadline(): Deadline {
    return performance.now() + Math.min(MAX_LOOKUP_MS, this.env.requestDeadlineMs / 2);
  }

  /** By component. A component is unavailable if its provider does not respond in time. */
  async quote(requests: readonly (QuoteRequest & { provider: ProviderName })[]): Promise<Map<string, Quote>> {
    const quotes = requests.map(async (request): Promise<[string, Quote]> => {
      const answer = inTime(this.named(request.provider).quote(request));
      const quote = await answer.catch(() => ({ available: false, reason: 'The provider did not answer' }) as const);
      return [request.componentId, quote];
    });
    return new Map(await Promise.all(quotes));
  }

  /** For a key that no provider has seen yet. Null: the outcome is still unknown. */
  async hold(hold: ExternalHold, deadline: Deadline): Promise<HoldResult | null> {
    const result = await inTime(this.named(hold.provider).hold(hold.providerKey, hold.offer)).catch(() => null);
    return result ?? this.find(hold, deadline);
  }

  /** The result of a hold that was requested before; it is not requested again. Null: still unknown at the deadline. */
  async find(hold: ExternalHold, deadline: Deadline): Promise<HoldResult | null> {
    for (let ms = FIRST_PAUSE_MS; ; ms *= 2) {
      const result = await this.lookup(hold);
      if (result !== null || performance.now() > deadline) return result;
      await pause(ms);
    }
  }

  /** Whether the provider released the hold. */
  async release({ provider, providerKey, offer }: ExternalHold): Promise<boolean> {
    const released = inTime(this.named(provider).release(providerKey, offer)).then(() => true);
    return released.catch(() => false);
  }

  /** Why the provider did not confirm the hold, or null. */
  async confirm({ provider, providerKey, offer }: ExternalHold): Promise<Rejection | null> {
    const confirmed = inTime(this.named(provider).confirm(providerKey, offer));
    return confirmed.catch(() => ({ code: 'no_answer', message: 'The provider did not answer' }));
  }

  private async lookup(hold: ExternalHold): Promise<HoldResult | null> {
    const found = await inTime(this.named(hold.provider).lookup(hold.providerKey)).catch(() => undefined);
    if (found === undefined) return null;
    if (found) return found;
    // The request may still arrive. A released key cannot be held any more.
    if (!(await this.release(hold))) return null;
    return { held: false, code: 'not_received', message: 'The provider never received the request' };
  }

  private named(name: ProviderName): ExternalProvider {
    if (name !== 'simulated') throw new Error(`${name} is not an external provider`);
    return this.simulated;
  }
}

/** Throws if the answer takes too long; a later answer is ignored. */
async function inTime<T>(call: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const limit = pause(CALL_LIMIT_MS, undefined, { signal: ended.signal }).then(() => {
    throw new Error('The provider took too long');
  });
  try {
    return await Promise.race([call, limit]);
  } finally {
    ended.abort();
    limit.catch(() => undefined);
    call.catch(() => undefined);
  }
}
