import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { type DepartureSummary, DeparturesService } from '../../operations/index.js';
import { type Held, type InternalProvider, type Order, OURS_SECONDS, type Quote, type Wanted } from './provider.js';

/** Seats of our own departures, held from the pool. */
@Injectable()
export class DeparturesProvider implements InternalProvider {
  readonly name = 'departures';
  readonly isInternal = true;

  constructor(
    private readonly departures: DeparturesService,
    private readonly clock: Clock,
  ) {}

  /** Locks nothing: whether there is still enough is decided by the hold. Several of one departure share what it has. */
  async quote(wanted: readonly Wanted[]): Promise<Quote[]> {
    const found = await this.departures.listSummaries(wanted.map(departureOf));
    const facts = new Map(found.map((departure) => [departure.id, departure]));
    const left = new Map(found.map(({ id, available }) => [id, available]));
    return wanted.map((one) => {
      const departure = facts.get(departureOf(one));
      if (!departure) return gone('The departure is unknown');
      const units = left.get(departure.id) ?? 0;
      const quote = this.quoteOf(departure, one.quantity, units);
      if (quote.available) left.set(departure.id, units - one.quantity);
      return quote;
    });
  }

  async hold(_key: string, order: Order): Promise<Held> {
    try {
      await this.departures.allocate(departureOf(order), order.quantity, { from: 'pool', as: 'held' });
      return { held: true, expiresAt: this.clock.inSeconds(OURS_SECONDS) };
    } catch (error) {
      if (error instanceof AppError) return { held: false, code: error.code, message: error.message };
      throw error;
    }
  }

  async confirm(_key: string, order: Order): Promise<null> {
    await this.departures.sellHeld(departureOf(order), order.quantity);
    return null;
  }

  async release(_key: string, order: Order): Promise<void> {
    await this.departures.release(departureOf(order), order.quantity, { to: 'pool', from: 'held' });
  }

  private quoteOf(departure: DepartureSummary, quantity: number, left: number): Quote {
    if (departure.status !== 'scheduled') return gone('The departure is cancelled');
    if (departure.startsAt <= this.clock.now()) return gone('The departure has started');
    if (left < quantity) return gone(`The departure has too few units left (${left} left, ${quantity} needed)`);
    return {
      available: true,
      totalCents: departure.priceCents * quantity,
      taxCents: departure.taxIncludedCents * quantity,
      currency: departure.currency,
      serviceDate: departure.startDate,
      expiresAt: this.clock.inSeconds(OURS_SECONDS),
      cancellationCents: 0,
    };
  }
}

function gone(reason: string): Quote {
  return { available: false, reason };
}

function departureOf({ componentId, departureId }: Order): string {
  if (departureId === null) throw new Error(`${componentId} has no departure`);
  return departureId;
}
