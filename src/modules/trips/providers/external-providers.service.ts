import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { OutgoingCalls } from '../../../platform/observability/telemetry.js';
import { callLimitMs, type ProviderCall } from './provider-limits.js';
import type {
  Cancellation,
  ExternalProvider,
  HoldResult,
  Order,
  OrderState,
  ProviderName,
  Quote,
  QuoteRequest,
  Rejection,
} from './provider.js';
import { LateQuotesService } from './late-quotes.service.js';
import { SimulatedProvider } from './simulated-provider.js';

const MAX_LOOKUP_MS = 10_000;
const FIRST_PAUSE_MS = 100;
/** The part of the request deadline in which providers must quote. */
const QUOTING_SHARE = 0.8;

/** A hold at an external provider, identified by its key. */
export interface ExternalHold {
  readonly provider: ProviderName;
  readonly providerKey: string;
  readonly offer: Order;
}

/** The time until which unknown outcomes are looked up, in milliseconds of `performance.now()`. */
export type Deadline = number;

/** Quotes by component, and the components whose quotes are still expected. */
export interface ExternalQuotes {
  quotes: Map<string, Quote>;
  pendingIds: string[];
}

/** `unknown`: the provider did not respond, so that the order may be confirmed or not. */
export type Confirmation = 'confirmed' | 'unknown' | Rejection;

type ProviderQuoteRequest = QuoteRequest & { provider: ProviderName };

class TookTooLong extends Error {}

const rejectCall = () => Promise.reject(new Error('The provider is not connected in production'));
const NOT_CONNECTED: ExternalProvider = {
  quote: async () => ({ available: false, reason: 'No provider sells this product' }),
  hold: rejectCall,
  confirm: rejectCall,
  release: rejectCall,
  cancel: rejectCall,
  lookup: rejectCall,
};

/** Calls external providers, each call with the time limit of its kind. Never called inside a transaction. */
@Injectable()
export class ExternalProvidersService {
  constructor(
    private readonly simulated: SimulatedProvider,
    private readonly lateQuotes: LateQuotesService,
    private readonly env: Env,
    private readonly calls: OutgoingCalls,
  ) {}

  /** Ten seconds, or less if needed so that the request is answered before its own deadline. */
  deadline(): Deadline {
    return performance.now() + Math.min(MAX_LOOKUP_MS, this.env.requestDeadlineMs / 2);
  }

  /**
   * Requests all quotes at once. A quote that takes longer than its limit is stored when it arrives, and used until it
   * expires. A component is unavailable if its provider fails.
   */
  async quote(requests: readonly ProviderQuoteRequest[]): Promise<ExternalQuotes> {
    const known = await this.lateQuotes.find(requests);
    const found = await Promise.all(
      requests.map(async (request): Promise<[string, Quote | null]> => {
        const late = known.get(request.componentId);
        return [request.componentId, late ? late.quote : await this.ask(request)];
      }),
    );
    const quotes = found.filter((entry): entry is [string, Quote] => entry[1] !== null);
    return { quotes: new Map(quotes), pendingIds: found.flatMap(([id, quote]) => (quote === null ? [id] : [])) };
  }

  /** Requests a hold with a key that no provider has seen yet. Null means that the outcome is still unknown. */
  async hold(hold: ExternalHold, deadline: Deadline): Promise<HoldResult | null> {
    const call = this.named(hold.provider).hold(hold.providerKey, hold.offer);
    const result = await this.inTime(hold.provider, 'hold', call).catch(() => null);
    return result ?? this.find(hold, deadline);
  }

  /** Looks up the result of an earlier request for a hold, without repeating it. Null means still unknown at the deadline. */
  async find(hold: ExternalHold, deadline: Deadline): Promise<HoldResult | null> {
    for (let ms = FIRST_PAUSE_MS; ; ms *= 2) {
      const result = await this.resultOf(hold);
      if (result !== null || performance.now() > deadline) return result;
      await pause(ms);
    }
  }

  /** Returns the order that the provider has under the key; `unknown` if it does not respond, null if it knows no such key. */
  async lookup({ provider, providerKey }: ExternalHold): Promise<OrderState | 'unknown' | null> {
    const found = this.inTime(provider, 'lookup', this.named(provider).lookup(providerKey));
    return found.catch(() => 'unknown' as const);
  }

  /** Whether the provider released the hold. */
  async release({ provider, providerKey, offer }: ExternalHold): Promise<boolean> {
    const released = this.inTime(provider, 'release', this.named(provider).release(providerKey, offer));
    return released.then(() => true).catch(() => false);
  }

  /**
   * Looks the order up before it requests the confirmation: an earlier call may have confirmed the order without a response, even
   * if the process ended before it stored that. An order that has ended counts as rejected.
   */
  async confirm(hold: ExternalHold): Promise<Confirmation> {
    const { provider, providerKey, offer } = hold;
    const found = await this.lookup(hold);
    if (found === 'unknown') return 'unknown';
    if (found?.state === 'confirmed') return 'confirmed';
    if (found?.state === 'closed') return { code: found.code, message: found.message };
    const confirmed = this.inTime(provider, 'confirm', this.named(provider).confirm(providerKey, offer));
    return confirmed.then((rejection) => rejection ?? ('confirmed' as const)).catch(() => 'unknown' as const);
  }

  /** Returns null if the provider did not respond. */
  async cancel({ provider, providerKey, offer }: ExternalHold): Promise<Cancellation | null> {
    return this.inTime(provider, 'cancel', this.named(provider).cancel(providerKey, offer)).catch(() => null);
  }

  /** Returns null if the quote is late. */
  private async ask(request: ProviderQuoteRequest): Promise<Quote | null> {
    const call = this.named(request.provider).quote(request);
    try {
      return await this.inTime(request.provider, 'quote', call);
    } catch (error) {
      if (!(error instanceof TookTooLong)) return { available: false, reason: 'The provider did not respond' };
      await this.lateQuotes.expect(request, call);
      return null;
    }
  }

  private async resultOf(hold: ExternalHold): Promise<HoldResult | null> {
    const found = await this.lookup(hold);
    if (found === 'unknown') return null;
    if (found?.state === 'held') return { held: true, expiresAt: found.expiresAt };
    if (found?.state === 'closed') return { held: false, code: found.code, message: found.message };
    // Another client has confirmed the order, or the request may still arrive. A released key can no longer be held.
    if (found?.state === 'confirmed' || !(await this.release(hold))) return null;
    return { held: false, code: 'not_received', message: 'The provider never received the request' };
  }

  /** In production nothing sells external products, and the outcome of calls for stored orders is unknown. */
  private named(name: ProviderName): ExternalProvider {
    if (name !== 'simulated') throw new Error(`${name} is not an external provider`);
    return this.env.production ? NOT_CONNECTED : this.simulated;
  }

  /** Throws `TookTooLong` if the response takes longer than the limit of the call. */
  private async inTime<T>(provider: ProviderName, kind: ProviderCall, call: Promise<T>): Promise<T> {
    const ended = new AbortController();
    const longest = kind === 'quote' ? this.env.requestDeadlineMs * QUOTING_SHARE : Infinity;
    const ms = Math.min(callLimitMs(provider, kind), this.env.providerCallMs, longest);
    const limit = pause(ms, undefined, { signal: ended.signal }).then(() => {
      throw new TookTooLong('The provider took too long');
    });
    try {
      return await this.calls.run({ name: `${provider} ${kind}` }, () => Promise.race([call, limit]));
    } finally {
      ended.abort();
      limit.catch(() => undefined);
      call.catch(() => undefined);
    }
  }
}
