import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import {
  type Cancellation,
  type ExternalProvider,
  type HoldResult,
  INTERNAL_SECONDS,
  type Order,
  type OrderState,
  type Quote,
  type QuoteRequest,
  type Rejection,
} from './provider.js';

/** The price of one unit of every product, and the tax included in it. */
const UNIT_PRICE_CENTS = 14_500;
const UNIT_TAX_CENTS = 1_318;

interface StoredOrder {
  state: 'held' | 'confirmed' | 'released' | 'cancelled';
  expires_at: Date;
}

/**
 * Acts as the external provider outside production and sells every product at one price. Its orders are in a separate schema
 * (src/bootstrap/simulated-provider.ts), which represents the provider's system, so they are written independently of the
 * running transaction and survive the process. Tests make it slow and faulty (test/trips/faulty-provider.js).
 */
@Injectable()
export class SimulatedProvider implements ExternalProvider {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async quote({ quantity, currency, serviceDate }: QuoteRequest): Promise<Quote> {
    return {
      available: true,
      totalCents: UNIT_PRICE_CENTS * quantity,
      taxCents: UNIT_TAX_CENTS * quantity,
      currency,
      serviceDate,
      expiresAt: this.clock.inSeconds(INTERNAL_SECONDS),
      cancellationCents: 0,
    };
  }

  /** A known key keeps its state. */
  async hold(key: string, { providerRef, quantity }: Order): Promise<HoldResult> {
    const [order] = await this.queryApart<StoredOrder>(
      `insert into simulated_provider.orders as o (key, ref, quantity, state, holds, expires_at)
       values ($1, $2, $3, 'held', 1, $4)
       on conflict (key) do update set holds = o.holds + 1
       returning state, expires_at`,
      [key, providerRef, quantity, this.clock.inSeconds(INTERNAL_SECONDS)],
    );
    if (!order) throw new Error('The order was not stored');
    const state = stateOf(order);
    if (state.state !== 'closed') return { held: true, expiresAt: order.expires_at };
    return { held: false, code: state.code, message: state.message };
  }

  async confirm(key: string, _order: Order): Promise<Rejection | null> {
    const confirmed = await this.queryApart(
      `update simulated_provider.orders set state = 'confirmed' where key = $1 and state in ('held', 'confirmed')
       returning key`,
      [key],
    );
    return confirmed.length === 1 ? null : { code: 'unknown_hold', message: 'The provider has no hold with this key' };
  }

  /** Repeated calls cancel once and return the same fee. */
  async cancel(key: string, { providerRef, quantity }: Order): Promise<Cancellation> {
    const [cancelled] = await this.queryApart<{ fee: number }>(
      `insert into simulated_provider.orders as o (key, ref, quantity, state, holds, expires_at)
       values ($1, $2, $3, 'cancelled', 0, $4)
       on conflict (key) do update set state = 'cancelled',
         cancels = o.cancels + (o.state in ('held', 'confirmed'))::int
       returning fee_cents::float8 as fee`,
      [key, providerRef, quantity, this.clock.now()],
    );
    return { feeCents: cancelled?.fee ?? 0 };
  }

  async release(key: string, { providerRef, quantity }: Order): Promise<void> {
    await this.queryApart(
      `insert into simulated_provider.orders as o (key, ref, quantity, state, holds, expires_at)
       values ($1, $2, $3, 'released', 0, $4)
       on conflict (key) do update set state = 'released' where o.state <> 'cancelled'`,
      [key, providerRef, quantity, this.clock.now()],
    );
  }

  async lookup(key: string): Promise<OrderState | null> {
    const [order] = await this.queryApart<StoredOrder>(
      'select state, expires_at from simulated_provider.orders where key = $1',
      [key],
    );
    return order ? stateOf(order) : null;
  }

  private async queryApart<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.apart(() => this.database.query<Row>(text, values));
  }
}

function stateOf({ state, expires_at: expiresAt }: StoredOrder): OrderState {
  if (state === 'held') return { state, expiresAt };
  if (state === 'confirmed') return { state };
  return { state: 'closed', code: state, message: `The provider has ${state} the order` };
}
