import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import { DELETE, Rights } from '../../../platform/database/table-declarations.js';

/** What one unit costs, including tax. A price never changes: its list replaces all of its prices. */
@Rights(DELETE)
@Entity('prices')
export class Price extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'price_list_id' }) priceListId: string;
  @Column('text', { name: 'product_id' }) productId: string;
  /** Null means all options. */
  @Column('text', { name: 'option_id', nullable: true }) optionId: string | null;
  @Column('text', { name: 'unit_id' }) unitId: string;
  @Column('integer') position: number;
  /** Service dates, both inclusive. */
  @Column('date', { name: 'service_from', nullable: true }) from: string | null;
  @Column('date', { name: 'service_to', nullable: true }) to: string | null;
  /** Day of the week of the service date, from Monday 1 to Sunday 7. Null means all. */
  @Column('integer', { nullable: true }) weekday: number | null;
  @Column('bigint', { name: 'amount_cents', transformer: safeInteger }) amountCents: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}

/** A price without its place in a list. */
export type PriceTerms = Pick<Price, 'productId' | 'optionId' | 'unitId' | 'from' | 'to' | 'weekday' | 'amountCents'>;

const LAST_DAY = '9999-12-31';

/** Finds two prices of the same unit, option and weekday with a common service date, and returns their indexes. */
export function findOverlap(prices: readonly PriceTerms[]): [number, number] | null {
  const order = prices
    .map((price, index) => ({ index, key: keyOf(price), from: price.from ?? '', to: price.to ?? LAST_DAY }))
    .sort((a, b) => compare(a.key, b.key) || compare(a.from, b.from));
  for (const [place, next] of order.entries()) {
    // Without an overlap so far, the previous season is also the one that ends last.
    const previous = order[place - 1];
    if (previous?.key !== next.key || previous.to < next.from) continue;
    return previous.index < next.index ? [previous.index, next.index] : [next.index, previous.index];
  }
  return null;
}

function keyOf({ productId, optionId, unitId, weekday }: PriceTerms): string {
  return [productId, unitId, optionId ?? '', weekday ?? 0].join(' ');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
