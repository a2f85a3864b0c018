import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient } from 'pg';
import type { QueryRunner } from 'typeorm';
import type { Statement } from './statement.js';

/** Something that is gathered during a transaction and written in one statement just before its commit. */
export interface Collector<Item> {
  /** Collectors write in this order; the ledger is last, because its heads are the most contended rows. */
  readonly order: number;
  /** The statement is sent together with the commit; whatever it answers, nobody waits for it before. */
  statement(items: Item[]): Statement;
}

/** One running transaction: its connection, what is still to be written, and what happens once it is committed. */
export class TransactionState {
  readonly afterCommit: (() => void | Promise<void>)[] = [];
  private readonly collected = new Map<Collector<never>, unknown[]>();

  constructor(
    readonly runner: QueryRunner,
    readonly client: PoolClient,
  ) {}

  collect<Item>(collector: Collector<Item>, item: Item): void {
    const items = this.collected.get(collector);
    if (items) items.push(item);
    else this.collected.set(collector, [item]);
  }

  /** What was collected for this one so far, as the statement that writes it; it is not written again. */
  take<Item>(collector: Collector<Item>): Statement | null {
    const items = this.collected.get(collector);
    this.collected.delete(collector);
    return items ? collector.statement(items as never[]) : null;
  }

  /** What was collected, as the statements that write it. */
  collectedStatements(): Statement[] {
    const pending = [...this.collected].sort(([a], [b]) => a.order - b.order);
    return pending.map(([collector, items]) => collector.statement(items as never[]));
  }
}

export const units = new AsyncLocalStorage<TransactionState>();
