import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import {
  type ExternalProvider,
  type Held,
  type Order,
  OURS_SECONDS,
  type Quote,
  type Refusal,
  type Wanted,
} from './provider.js';
import type { SimulatedBehaviour, SimulatedProduct } from './simulated-product.dto.js';

interface StoredOrder {
  state: 'held' | 'confirmed' | 'released';
  expires_at: Date;
}

/**
 * A provider of somebody else's, as the saga sees it: slow, forgetful, now and then wrong. It keeps its own books, which
 * are written past every transaction of ours, and the next provider may follow its model.
 */
@Injectable()
export class SimulatedProvider implements ExternalProvider {
  readonly name = 'simulated';
  readonly isInternal = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Sets how the provider behaves when it is asked for these products. */
  async configure(products: readonly SimulatedProduct[]): Promise<void> {
    for (const { ref, behaviour } of products) {
      await this.database.query(
        `insert into simulated_products (ref, behaviour) values ($1, $2::jsonb)
         on conflict (ref) do update set behaviour = excluded.behaviour`,
        [ref, JSON.stringify(behaviour)],
      );
    }
  }

  async quote(wanted: readonly Wanted[]): Promise<Quote[]> {
    return Promise.all(wanted.map((one) => this.quoteOf(one)));
  }

  async hold(key: string, { providerRef, quantity }: Order): Promise<Held> {
    const behaviour = await this.behaviourOf(providerRef);
    if (!behaviour) return { held: false, code: 'unknown_product', message: 'The provider does not sell this product' };
    if (behaviour.hold === 'refuse')
      return { held: false, code: 'sold_out', message: 'The provider rejected the hold' };
    if (behaviour.hold === 'lose_request') throw new Error('The request never arrived');
    const expiresAt = this.clock.inSeconds(behaviour.holdSeconds ?? OURS_SECONDS);
    const held = await this.keep(key, { ref: providerRef, quantity, units: behaviour.units ?? null, expiresAt });
    if (behaviour.hold === 'lose_answer') throw new Error('The answer was lost');
    return held;
  }

  async confirm(key: string, { providerRef }: Order): Promise<Refusal | null> {
    const behaviour = await this.behaviourOf(providerRef);
    if (behaviour?.refusesConfirmation) return { code: 'refused', message: 'The provider did not confirm' };
    const confirmed = await this.books(
      `update simulated_orders set state = 'confirmed' where key = $1 and state in ('held', 'confirmed') returning key`,
      [key],
    );
    return confirmed.length === 1 ? null : { code: 'unknown_hold', message: 'The provider has no hold with this key' };
  }

  async release(key: string, { providerRef, quantity }: Order): Promise<void> {
    const behaviour = await this.behaviourOf(providerRef);
    if (behaviour?.failsRelease) throw new Error('The provider did not release the hold');
    await this.books(
      `insert into simulated_orders (key, ref, quantity, state, holds, expires_at) values ($1, $2, $3, 'released', 0, $4)
       on conflict (key) do update set state = 'released'`,
      [key, providerRef, quantity, this.clock.now()],
    );
  }

  async lookup(key: string): Promise<Held | null> {
    const [found] = await this.books<StoredOrder & { behaviour: SimulatedBehaviour | null }>(
      `select o.state, o.expires_at, p.behaviour from simulated_orders o left join simulated_products p using (ref)
       where o.key = $1`,
      [key],
    );
    if (found?.behaviour?.failsLookup) throw new Error('The provider did not report a status');
    return found ? heldOf(found) : null;
  }

  private async quoteOf({ providerRef, quantity, serviceDate }: Wanted): Promise<Quote> {
    const behaviour = await this.behaviourOf(providerRef);
    if (!behaviour) return { available: false, reason: 'The provider does not sell this product' };
    if ((behaviour.units ?? quantity) < quantity)
      return { available: false, reason: 'Not enough units available at the provider' };
    return {
      available: true,
      totalCents: behaviour.priceCents * quantity,
      taxCents: (behaviour.taxIncludedCents ?? 0) * quantity,
      currency: behaviour.currency,
      serviceDate,
      expiresAt: this.clock.inSeconds(OURS_SECONDS),
      cancellationCents: behaviour.cancellationCents ?? 0,
    };
  }

  /** A key that is known keeps what became of it. Only of what is left: counted and kept in one statement per product. */
  private async keep(
    key: string,
    order: { ref: string | null; quantity: number; units: number | null; expiresAt: Date },
  ): Promise<Held> {
    const [kept] = await this.books<StoredOrder>(
      `insert into simulated_orders as o (key, ref, quantity, state, holds, expires_at)
       select $1::text, $2::text, $3::int, 'held', 1, $4::timestamptz
       where $5::int is null or $3::int + coalesce((
         select sum(quantity) from simulated_orders where ref = $2 and state <> 'released' and key <> $1), 0) <= $5
       on conflict (key) do update set holds = o.holds + 1
       returning state, expires_at`,
      [key, order.ref, order.quantity, order.expiresAt, order.units],
    );
    return kept
      ? heldOf(kept)
      : { held: false, code: 'sold_out', message: 'Not enough units available at the provider' };
  }

  private async behaviourOf(ref: string | null): Promise<SimulatedBehaviour | null> {
    const text = 'select behaviour from simulated_products where ref = $1';
    const [found] = await this.books<{ behaviour: SimulatedBehaviour }>(text, [ref]);
    if (found?.behaviour.delayMs) await pause(found.behaviour.delayMs);
    return found?.behaviour ?? null;
  }

  private async books<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.apart(() => this.database.query<Row>(text, values));
  }
}

function heldOf({ state, expires_at }: StoredOrder): Held {
  if (state !== 'released') return { held: true, expiresAt: expires_at };
  return { held: false, code: 'released', message: 'The provider released the hold' };
}
