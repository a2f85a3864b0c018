import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import type { Vertical } from '../fields/registry.js';
import { SliceBell } from '../freshness/slice-bell.js';

/** All documents of one vertical, language and market. A search reads exactly one. */
export interface SliceKey {
  readonly vertical: Vertical;
  readonly locale: string;
  readonly market: string;
}

/** A slice that is being written, by whoever holds its row until the commit. */
export interface OpenSlice extends SliceKey {
  readonly id: string;
  /** The generation that this change set will be. */
  readonly generation: string;
}

const ADD_MISSING = `
  insert into catalog_slice (vertical, locale, market, generation, document_count)
  select distinct vertical, locale, market, 1, 0 from unnest($1::text[], $2::text[], $3::text[]) as s (vertical, locale, market)
  order by vertical, locale, market
  on conflict do nothing`;

const OPEN = `
  with held as (
    select id from catalog_slice
    where (vertical, locale, market) in (select * from unnest($1::text[], $2::text[], $3::text[]))
    order by id for update
  )
  update catalog_slice as slice set generation = generation + 1, changed_at = $4 from held where slice.id = held.id
  returning slice.id, vertical, locale, market, generation`;

const HOLD = `
  select id from catalog_slice
  where (vertical, locale, market) in (select * from unnest($1::text[], $2::text[], $3::text[]))
  order by id for update`;

const COUNT = `
  update catalog_slice as slice set document_count = document_count + change
  from unnest($1::bigint[], $2::int[]) as c (id, change) where slice.id = c.id and change <> 0`;

@Injectable()
export class Slices {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly bell: SliceBell,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks the slices in the order of their ids, makes those that are missing, and begins the next generation of each. Every
   * writer comes by here first, so generations are committed in their order.
   */
  async open(keys: readonly SliceKey[], missing: 'make' | 'pass' = 'make'): Promise<OpenSlice[]> {
    const values = valuesOf(keys);
    if (missing === 'make') await this.database.execute(ADD_MISSING, values);
    return this.database.query<OpenSlice>(OPEN, [...values, this.clock.now()]);
  }

  /** Locks slices that may be opened later in the same transaction. */
  async hold(keys: readonly SliceKey[]): Promise<void> {
    await this.database.execute(HOLD, valuesOf(keys));
  }

  /** Tells of a change set: how many documents of the slice it changed, and how many there are more (or less) of them. */
  async changed(changes: readonly { slice: OpenSlice; documents: number; more: number }[]): Promise<void> {
    await this.database.execute(COUNT, [changes.map(({ slice }) => slice.id), changes.map(({ more }) => more)]);
    for (const { slice, documents } of changes) {
      const { vertical, locale, market, generation } = slice;
      const data = { vertical, locale, market, generation: Number(generation), documents };
      this.outbox.add({ channel: 'catalog.slices', event: 'catalog.slice.changed', data });
    }
    this.ring();
  }

  /** Whoever searches slices looks at them again, once the running transaction is committed. */
  ring(): void {
    this.bell.ring('slices');
  }
}

function valuesOf(keys: readonly SliceKey[]): string[][] {
  return [keys.map((key) => key.vertical), keys.map((key) => key.locale), keys.map((key) => key.market)];
}

export function sliceName({ vertical, locale, market }: SliceKey): string {
  return `${vertical}/${locale}/${market}`;
}
