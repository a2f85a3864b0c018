import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient, QueryResult } from 'pg';
import type { ObjectLiteral, QueryRunner } from 'typeorm';
import { databaseErrorOf } from '../errors/database-errors.js';
import type { StatementTrace } from '../observability/tracer.js';
import { inOneWrite, type ServicePool, valueAsSent } from './service-pool.js';
import type { Statement } from './statement.js';
import type { Clock } from '../clock/clock.js';

/** Items that are collected during a transaction and written in one statement just before its commit. */
export interface Collector<Item> {
  /** Collectors write in this order; the ledger is last, because its heads are the most contended rows. */
  readonly order: number;
  /** The statement is sent together with the commit, without waiting for its result. */
  statement(items: Item[]): Statement;
}

/** The statements that begin a transaction. */
interface Opening {
  readonly begin: Statement;
  readonly trace: StatementTrace | null;
}

type Result = QueryResult<ObjectLiteral>;

/** Bounds the memory of a transaction that inserts many rows. */
const MAX_QUEUED = 500;
const FAILED_TRANSACTION = '25P02';

/**
 * One running transaction: its connection, the statements that were not sent yet, the collected items, and the work to do after
 * its commit. Connections are pipelined: statements whose result is not needed, such as BEGIN and inserts, are sent in one
 * write with the COMMIT or with the next statement whose result is needed. A transaction that only inserts takes one round
 * trip, and the lock of a ledger's head spans no round trip.
 *
 * The COMMIT is sent before it is known whether the statements before it succeed. If one of them fails on the server, the
 * server turns the COMMIT into a rollback. A queued statement must therefore fail on the server whenever it is wrong.
 */
export class TransactionState {
  readonly afterCommit: (() => void | Promise<void>)[] = [];
  readonly beforeCommit = new Map<string, () => Promise<void>>();
  private readonly collected = new Map<Collector<never>, unknown[]>();
  private readonly trace: StatementTrace | null;
  private queued: Statement[];
  /** Whether the server knows of this transaction. */
  private hasBegun = false;
  private hasEnded = false;
  /** The first error, which made the server reject all later statements. */
  private failure: { error: unknown } | null = null;

  constructor(
    private readonly client: PoolClient,
    { begin, trace }: Opening,
    /** Null unless repositories of TypeORM are used. */
    readonly runner: QueryRunner | null = null,
  ) {
    this.queued = [begin];
    this.trace = trace;
    if (!runner) return;
    // TypeORM sends its statements on the same connection: they must see the rows that were queued before.
    const query = runner.query.bind(runner);
    runner.query = ((...args: Parameters<QueryRunner['query']>) => {
      this.assertRunning();
      this.sendQueued();
      return query(...args);
    }) as QueryRunner['query'];
  }

  collect<Item>(collector: Collector<Item>, item: Item): void {
    this.assertRunning();
    const items = this.collected.get(collector);
    if (items) items.push(item);
    else this.collected.set(collector, [item]);
  }

  /** Runs the work that was left for the end of the transaction, in the order of its keys; it may leave more. */
  async finish(): Promise<void> {
    while (this.beforeCommit.size > 0) {
      const left = [...this.beforeCommit].sort(([a], [b]) => (a < b ? -1 : 1));
      this.beforeCommit.clear();
      for (const [, work] of left) await work();
    }
  }

  /** Returns the statement that writes the items collected so far. Each item is written once. */
  take<Item>(collector: Collector<Item>): Statement | null {
    const items = this.collected.get(collector);
    this.collected.delete(collector);
    return items ? collector.statement(items as never[]) : null;
  }

  /**
   * Queues the statement with its current values. It is sent before any later statement. Its error fails the statement with
   * which it is sent, and the transaction.
   */
  async queue(statement: Statement): Promise<void> {
    this.assertRunning();
    const { values } = statement;
    this.queued.push(values ? { ...statement, values: values.map((value) => valueAsSent(value)) } : statement);
    if (this.queued.length >= MAX_QUEUED) await this.flush();
  }

  /** Sends all queued statements and this one in one write. Fails with the first error of the transaction. */
  async send(statement: Statement): Promise<Result> {
    const sent = this.together(() => {
      this.sendQueued();
      return this.sendNow(statement);
    });
    const result = await sent.catch((error: unknown) => {
      // Errors arrive in the order of the statements, and all but the first only say that the transaction failed.
      throw this.failure ? this.failure.error : error;
    });
    if (this.failure) throw this.failure.error;
    return result;
  }

  /** Statements that the work sends before its first `await` are sent in one write. */
  together<T>(work: () => T): T {
    return inOneWrite(this.client, work);
  }

  /** Waits until the server has executed everything that is queued. */
  async flush(): Promise<void> {
    const last = this.queued.pop();
    if (last) await this.send(last);
  }

  /** Sends the statement. If it fails, the transaction stays unchanged and usable. */
  async attempt(statement: Statement): Promise<Result> {
    // Executes earlier statements first, so that their errors are not mistaken for an error of this one.
    if (this.queued.length > (this.hasBegun ? 0 : 1)) await this.flush();
    this.queued.push({ text: 'savepoint attempt' });
    try {
      const result = await this.send(statement);
      this.queued.push({ text: 'release savepoint attempt' });
      return result;
    } catch (error) {
      this.failure = null;
      this.queued.push({ text: 'rollback to savepoint attempt' });
      throw error;
    }
  }

  /** Sends the queued statements, the statements that write all collected items, and the COMMIT in one write. */
  async commit(): Promise<void> {
    const pending = [...this.collected].sort(([a], [b]) => a.order - b.order);
    for (const [collector, items] of pending) await this.queue(collector.statement(items as never[]));
    const isEmpty = !this.hasBegun && this.queued.length === 1;
    if (isEmpty) {
      this.hasEnded = true;
      return;
    }
    const committed = this.send({ text: 'commit' });
    this.hasEnded = true;
    const { command } = await committed;
    if (command !== 'COMMIT') throw new Error('A statement failed, and its error was ignored: rolled back');
  }

  /** Rolls back, and returns `error`, or its cause if a statement of TypeORM failed only because an earlier one did. */
  async rollback(error: unknown): Promise<unknown> {
    this.hasEnded = true;
    // If the connection itself broke, the rollback also fails; the first error is reported.
    if (this.hasBegun) await this.client.query('rollback').catch(() => undefined);
    return this.failure && databaseErrorOf(error)?.code === FAILED_TRANSACTION ? this.failure.error : error;
  }

  private sendQueued(): void {
    const { queued } = this;
    this.queued = [];
    this.together(() => {
      for (const statement of queued) void this.sendNow(statement).catch(() => undefined);
    });
  }

  private sendNow(statement: Statement): Promise<Result> {
    this.assertRunning();
    this.hasBegun = true;
    const result: Promise<Result> = this.trace
      ? this.trace(statement, () => this.client.query(statement))
      : this.client.query(statement);
    return result.catch((error: unknown) => {
      this.failure ??= { error };
      throw error;
    });
  }

  /** Work that was not awaited may continue after the end, when the connection belongs to another transaction. */
  private assertRunning(): void {
    if (this.hasEnded) throw new Error('The transaction has ended');
  }
}

export const units = new AsyncLocalStorage<TransactionState>();

export const SNAPSHOT = ' isolation level repeatable read, read only';

/**
 * BEGIN. The day becomes the setting `app.today` of the transaction, and the time `app.now`: triggers that write histories
 * read the organization's day there, because a day computed from a timestamp would change with `ORG_TIME_ZONE`. The condition is
 * SQL that fails if the transaction must not happen.
 */
export function beginAt(
  clock: Clock,
  { mode = '', condition = null }: { mode?: string; condition?: string | null } = {},
): Statement {
  const [day, time] = [clock.today(), clock.now().toISOString()];
  const begin = `begin${mode}; set local app.today = '${day}'; set local app.now = '${time}'`;
  return { text: condition === null ? begin : `${begin}; ${condition}` };
}

/** Runs the work in the transaction and commits it. Throws the first error of the transaction after its rollback. */
export async function inTransaction<T>(unit: TransactionState, work: () => Promise<T>): Promise<T> {
  try {
    const result = await units.run(unit, async () => {
      const value = await work();
      await unit.finish();
      return value;
    });
    await unit.commit();
    return result;
  } catch (error) {
    throw await unit.rollback(error);
  }
}

/** Runs the work in a separate read-only transaction, in which all statements see one state of the database. */
export async function inSnapshot<T>(
  pool: ServicePool,
  { clock, trace }: { clock: Clock; trace: StatementTrace | null },
  work: () => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    return await inTransaction(
      new TransactionState(client, { begin: beginAt(clock, { mode: SNAPSHOT }), trace }),
      work,
    );
  } finally {
    client.release();
  }
}
