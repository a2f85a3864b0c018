import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient } from 'pg';
import type { QueryRunner } from 'typeorm';
import type { Statement } from './statement.js';

/** Items that are collected during a transaction and written in one statement just before its commit. */
export interface Collector<Item> {
  /** Collectors write in this order; the ledger is last, because its heads are the most contended rows. */
  readonly order: number;
  /** The statement is sent together with the commit, without waiting for its result. */
  statement(items: Item[]): Statement;
}

/** One running transaction: its connection, the collected items, and the work to do after its commit. */
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

  /** The statement that writes the items collected so far; they are not written again. */
  take<Item>(collector: Collector<Item>): Statement | null {
    const items = this.collected.get(collector);
    this.collected.delete(collector);
    return items ? collector.statement(items as never[]) : null;
  }

  /** The statements that write all collected items. */
  collectedStatements(): Statement[] {
    const pending = [...this.collected].sort(([a], [b]) => a.order - b.order);
    return pending.map(([collector, items]) => collector.statement(items as never[]));
  }
}

export const units = new AsyncLocalStorage<TransactionState>();
