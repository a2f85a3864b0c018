import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient, QueryResult } from 'pg';
import type { ObjectLiteral, QueryRunner } from 'typeorm';
import { inOneWrite } from './service-pool.js';
import type { Statement } from './statement.js';

/** Items that are collected during a transaction and written in one statement just before its commit. */
export interface Collector<Item> {
  /** Collectors write in this order; the ledger is last, because its heads are the most contended rows. */
  readonly order: number;
  /** The statement is sent together with the commit, without waiting for its result. */
  statement(items: Item[]): Statement;
}

type Result = QueryResult<ObjectLiteral>;

/** A statement whose result nobody waits for; `check` throws if the result is wrong. */
interface Queued {
  readonly statement: Statement;
  readonly check?: ((result: Result) => void) | undefined;
}

/**
 * One running transaction: its connection, the statements that were not sent yet, the collected items, and the work to do
 * after its commit. Connections are pipelined: statements whose result nobody waits for, such as BEGIN and inserts, are
 * sent in one write with the next statement that somebody waits for, or with the COMMIT. So a transaction that only
 * inserts takes one round trip, and the row of a ledger's head is locked for none.
 */
export class TransactionState {
  readonly afterCommit: (() => void | Promise<void>)[] = [];
  private readonly collected = new Map<Collector<never>, unknown[]>();
  private queued: Queued[];
  /** Whether the server knows of this transaction. */
  private hasBegun = false;
  /** Statements that were sent before one of TypeORM's, which does not wait for them. */
  private readonly unawaited: Promise<Result>[] = [];
  private failure: unknown;

  constructor(
    readonly runner: QueryRunner,
    readonly client: PoolClient,
    begin: Statement,
  ) {
    this.queued = [{ statement: begin }];
    const query = runner.query.bind(runner);
    runner.query = ((...args: Parameters<QueryRunner['query']>) => {
      for (const sent of this.sendQueued()) this.await(sent);
      return query(...args);
    }) as QueryRunner['query'];
  }

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

  /** Sends the statement later, but before every other one. Its error fails the statement with which it is sent. */
  queue(statement: Statement, check?: (result: Result) => void): void {
    this.queued.push({ statement, check });
  }

  /** Sends everything that is queued, and the statement, in one write. Fails with the first error of all of them. */
  async send(statement: Statement): Promise<Result> {
    const sent = inOneWrite(this.client, () => [...this.sendQueued(), this.client.query(statement)]);
    const results = await Promise.all(sent);
    return results[results.length - 1] as Result;
  }

  /** Sends the queued statements, those that write all collected items, and the COMMIT in one write. */
  async commit(): Promise<void> {
    const pending = [...this.collected].sort(([a], [b]) => a.order - b.order);
    for (const [collector, items] of pending) this.queue(collector.statement(items as never[]));
    if (!this.hasBegun && this.queued.length === 1) return;
    // If one of them failed, the server turns the COMMIT into a rollback.
    await this.send({ text: 'commit' });
    await Promise.all(this.unawaited);
  }

  /** Rolls back, and returns the error that made the transaction fail: `error`, unless an earlier one caused it. */
  async rollback(error: unknown): Promise<unknown> {
    // If the connection itself broke, the rollback fails too; the first error is reported.
    if (this.hasBegun) await this.client.query('rollback').catch(() => undefined);
    return this.failure ?? error;
  }

  private sendQueued(): Promise<Result>[] {
    const queued = this.queued;
    this.queued = [];
    this.hasBegun = true;
    return queued.map(({ statement, check }) => {
      const result: Promise<Result> = this.client.query(statement);
      return check ? result.then((answer) => (check(answer), answer)) : result;
    });
  }

  /** TypeORM's own statement fails after it, with an error that does not name the cause. */
  private await(sent: Promise<Result>): void {
    this.unawaited.push(sent);
    sent.catch((error: unknown) => {
      this.failure ??= error;
    });
  }
}

export const units = new AsyncLocalStorage<TransactionState>();
