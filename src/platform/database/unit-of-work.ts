import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryRunner } from 'typeorm';

/** Something that is gathered during a transaction and written in one statement just before its commit. */
export interface Collector<Item> {
  /** Collectors write in this order; the ledger is last, because its heads are the most contended rows. */
  readonly order: number;
  write(items: Item[]): Promise<void>;
}

/** One running transaction: its connection, what is still to be written, and what happens once it is committed. */
export class UnitOfWork {
  readonly afterCommit: (() => void | Promise<void>)[] = [];
  private readonly collected = new Map<Collector<never>, unknown[]>();

  constructor(readonly runner: QueryRunner) {}

  collect<Item>(collector: Collector<Item>, item: Item): void {
    const items = this.collected.get(collector);
    if (items) items.push(item);
    else this.collected.set(collector, [item]);
  }

  async writeCollected(): Promise<void> {
    const pending = [...this.collected].sort(([a], [b]) => a.order - b.order);
    this.collected.clear();
    for (const [collector, items] of pending) await collector.write(items as never[]);
  }
}

export const units = new AsyncLocalStorage<UnitOfWork>();
