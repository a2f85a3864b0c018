import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
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
import { type SimulatedBehaviour, SimulatedProduct } from './simulated-product.dto.js';

interface StoredOrder {
  state: 'held' | 'confirmed' | 'released' | 'cancelled';
  expires_at: Date;
}

/**
 * A built-in external provider that can be made to respond late, lose requests and fail; it is the example for real ones.
 * Its own tables represent the provider's system: they are written independently of the running transaction.
 */
@Injectable()
export class SimulatedProvider implements ExternalProvider {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Sets the behaviour of the provider for these products. */
  @Provisions({ name: 'simulatedProducts', order: 600, row: SimulatedProduct })
  async configure(products: SimulatedProduct[]): Promise<void> {
    for (const { ref, behaviour } of products) {
      await this.database.query(
        `insert into simulated_products (ref, behaviour) values ($1, $2::jsonb)
         on conflict (ref) do update set behaviour = excluded.behaviour`,
        [ref, JSON.stringify(behaviour)],
      );
    }
  }

  async quote({ providerRef, quantity, serviceDate }: QuoteRequest): Promise<Quote> {
    const behaviour = await this.behaviourOf(providerRef);
    if (!behaviour) return { available: false, reason: 'The provider does not sell this product' };
    if (behaviour.quoteDelayMs) await pause(behaviour.quoteDelayMs);
    if ((behaviour.units ?? quantity) < quantity) {
      return { available: false, reason: 'Not enough units available at the provider' };
    }
    return {
      available: true,
      totalCents: behaviour.priceCents * quantity,
      taxCents: (behaviour.taxIncludedCents ?? 0) * quantity,
      currency: behaviour.currency,
      serviceDate,
      expiresAt: this.clock.inSeconds(INTERNAL_SECONDS),
      cancellationCents: behaviour.cancellationCents ?? 0,
    };
  }

  async hold(key: string, { providerRef, quantity }: Order): Promise<HoldResult> {
    const behaviour = await this.behaviourOf(providerRef);
    if (!behaviour) return { held: false, code: 'unknown_product', message: 'The provider does not sell this product' };
    if (behaviour.hold === 'refuse') {
      return { held: false, code: 'sold_out', message: 'The provider rejected the hold' };
    }
    if (behaviour.hold === 'lose_request') throw new Error('The request never arrived');
    const expiresAt = this.clock.inSeconds(behaviour.holdSeconds ?? INTERNAL_SECONDS);
    const result = await this.store(key, { ref: providerRef, quantity, units: behaviour.units ?? null, expiresAt });
    return answer(behaviour.hold, result);
  }

  async confirm(key: string, { providerRef }: Order): Promise<Rejection | null> {
    const behaviour = await this.behaviourOf(providerRef);
    const conduct = behaviour?.refusesConfirmation ? 'refuse' : behaviour?.confirm;
    if (conduct === 'refuse') return { code: 'refused', message: 'The provider did not confirm' };
    if (conduct === 'fail') throw new Error('The provider did not confirm');
    const confirmed = await this.queryApart(
      `update simulated_orders set state = 'confirmed' where key = $1 and state in ('held', 'confirmed') returning key`,
      [key],
    );
    const unknown = { code: 'unknown_hold', message: 'The provider has no hold with this key' };
    return answer(conduct, confirmed.length === 1 ? null : unknown);
  }

  /** Repeated calls cancel once and answer the same fee. */
  async cancel(key: string, { providerRef, quantity }: Order): Promise<Cancellation> {
    const behaviour = await this.behaviourOf(providerRef);
    if (behaviour?.cancel === 'fail' || behaviour?.cancel === 'refuse') throw new Error('The provider did not cancel');
    const [cancelled] = await this.queryApart<{ fee: number }>(
      `insert into simulated_orders as o (key, ref, quantity, state, holds, expires_at)
       values ($1, $2, $3, 'cancelled', 0, $4)
       on conflict (key) do update set state = 'cancelled',
         cancels = o.cancels + (o.state in ('held', 'confirmed'))::int,
         fee_cents = case o.state when 'confirmed' then $5::bigint else o.fee_cents end
       returning fee_cents::float8 as fee`,
      [key, providerRef, quantity, this.clock.now(), behaviour?.cancelFeeCents ?? 0],
    );
    return answer(behaviour?.cancel, { feeCents: cancelled?.fee ?? 0 });
  }

  async release(key: string, { providerRef, quantity }: Order): Promise<void> {
    const behaviour = await this.behaviourOf(providerRef);
    if (behaviour?.failsRelease) throw new Error('The provider did not release the hold');
    await this.queryApart(
      `insert into simulated_orders (key, ref, quantity, state, holds, expires_at) values ($1, $2, $3, 'released', 0, $4)
       on conflict (key) do update set state = 'released' where simulated_orders.state <> 'cancelled'`,
      [key, providerRef, quantity, this.clock.now()],
    );
  }

  async lookup(key: string): Promise<OrderState | null> {
    const [found] = await this.queryApart<StoredOrder & { behaviour: SimulatedBehaviour | null }>(
      `select o.state, o.expires_at, p.behaviour from simulated_orders o left join simulated_products p using (ref)
       where o.key = $1`,
      [key],
    );
    if (found?.behaviour?.failsLookup) throw new Error('The provider did not report a status');
    return found ? stateOf(found) : null;
  }

  /** A known key keeps its state. One statement counts the units that are left and stores the hold. */
  private async store(
    key: string,
    order: { ref: string | null; quantity: number; units: number | null; expiresAt: Date },
  ): Promise<HoldResult> {
    const [stored] = await this.queryApart<StoredOrder>(
      `insert into simulated_orders as o (key, ref, quantity, state, holds, expires_at)
       select $1::text, $2::text, $3::int, 'held', 1, $4::timestamptz
       where $5::int is null or $3::int + coalesce((
         select sum(quantity) from simulated_orders where ref = $2 and state in ('held', 'confirmed') and key <> $1), 0) <= $5
       on conflict (key) do update set holds = o.holds + 1
       returning state, expires_at`,
      [key, order.ref, order.quantity, order.expiresAt, order.units],
    );
    return stored
      ? resultOf(stored)
      : { held: false, code: 'sold_out', message: 'Not enough units available at the provider' };
  }

  private async behaviourOf(ref: string | null): Promise<SimulatedBehaviour | null> {
    const text = 'select behaviour from simulated_products where ref = $1';
    const [found] = await this.queryApart<{ behaviour: SimulatedBehaviour }>(text, [ref]);
    if (found?.behaviour.delayMs) await pause(found.behaviour.delayMs);
    return found?.behaviour ?? null;
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

function resultOf(stored: StoredOrder): HoldResult {
  const order = stateOf(stored);
  if (order.state !== 'closed') return { held: true, expiresAt: stored.expires_at };
  return { held: false, code: order.code, message: order.message };
}

/** The answer after the effect: it may be lost, or never come. */
async function answer<T>(conduct: string | undefined, result: T): Promise<T> {
  if (conduct === 'lose_answer') throw new Error('The answer was lost');
  return conduct === 'never_answer' ? new Promise<T>(() => undefined) : result;
}
