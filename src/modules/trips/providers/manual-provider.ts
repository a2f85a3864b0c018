import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { type Held, type InternalProvider, OURS_SECONDS, type Quote, type Wanted } from './provider.js';

/** What staff arrange by telephone: the price is theirs, and so is the word that it will be there. */
@Injectable()
export class ManualProvider implements InternalProvider {
  readonly name = 'manual';
  readonly isInternal = true;

  constructor(private readonly clock: Clock) {}

  async quote(wanted: readonly Wanted[]): Promise<Quote[]> {
    return Promise.resolve(wanted.map((one) => this.quoteOf(one)));
  }

  async hold(): Promise<Held> {
    return Promise.resolve({ held: true, expiresAt: this.clock.inSeconds(OURS_SECONDS) });
  }

  async confirm(): Promise<null> {
    return Promise.resolve(null);
  }

  async release(): Promise<void> {
    return Promise.resolve();
  }

  private quoteOf({ unitPriceCents, unitTaxIncludedCents, quantity, currency, serviceDate }: Wanted): Quote {
    if (unitPriceCents === null) return { available: false, reason: 'Staff have not set a price' };
    return {
      available: true,
      totalCents: unitPriceCents * quantity,
      taxCents: (unitTaxIncludedCents ?? 0) * quantity,
      currency,
      serviceDate,
      expiresAt: this.clock.inSeconds(OURS_SECONDS),
      cancellationCents: 0,
    };
  }
}
