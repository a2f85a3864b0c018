import { AsyncLocalStorage } from 'node:async_hooks';
import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PoolClient, QueryResult } from 'pg';
import {
  DataSource,
  type EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  type Repository,
  type SelectQueryBuilder,
} from 'typeorm';
import { Clock } from '../clock/clock.js';
import { findContext, type RequestContext } from '../context/request-context.js';
import { databaseErrorOf, isDiskFull, isRetryable } from '../errors/database-errors.js';
import type { StatementTrace } from '../observability/tracer.js';
import { countStatement, type PageBounds, pageStatement, TOTAL } from './page.js';
import { poolOf, type ServicePool } from './service-pool.js';
import {
  beginAt,
  type Collector,
  inSnapshot,
  inTransaction,
  SNAPSHOT,
  TransactionState,
  units,
} from './transaction-state.js';
import { requireLiveCaller } from './live-caller.js';
import { RowStatements } from './row-statements.js';
import { Rows, targetOf, type Versioned } from './rows.js';
import { type Statement, StatementNames } from './statement.js';

const MAX_ATTEMPTS = 6;
const JITTER_MS = 30;
const UNIQUE_VIOLATION = '23505';
const PURGED_AT_ONCE = 5_000;
/** Must exceed the number of statement names in the code. */
const MAX_STATEMENT_NAMES = 800;

const readPools = new AsyncLocalStorage<ServicePool>();

/** The only access to the database. The running transaction is part of the context: all calls inside it join it. */
@Injectable()
export class Database {
  private readonly rowStatements = new Map<EntityTarget<ObjectLiteral>, RowStatements>();

  private readonly statementNames = new StatementNames(MAX_STATEMENT_NAMES);
  private diskFullListener: (error: unknown) => void = () => undefined;
  private trace: StatementTrace | null = null;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The listener gets the error of each statement that failed because the disk of the database is full. */
  onDiskFull(listener: (error: unknown) => void): void {
    this.diskFullListener = listener;
  }

  traceBy(trace: StatementTrace): void {
    this.trace = trace;
  }

  /**
   * Runs the work in a transaction and returns its result after the commit. Inside another transaction it joins it. The
   * outermost one retries the work up to five times after a serialization failure or a deadlock, so effects on other
   * systems belong in `afterCommit`. Fails with 401 if the credential of the caller has ended.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (units.getStore()) return work();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(work);
      } catch (error) {
        this.checkDisk(error);
        if (attempt === MAX_ATTEMPTS || !isRetryable(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, jitter(attempt)));
      }
    }
  }

  /**
   * Runs work that only reads, by statements and without repositories, and sees one state of the database. Inside a
   * transaction it joins it.
   */
  async snapshot<T>(work: () => Promise<T>): Promise<T> {
    if (units.getStore()) return work();
    try {
      return await inSnapshot(readPools.getStore() ?? this.pool(), { clock: this.clock, trace: this.trace }, work);
    } catch (error) {
      this.checkDisk(error);
      throw error;
    }
  }

  /** Like `snapshot`, on the primary, for work that also reads by repositories, such as the handlers of lists. */
  async snapshotOfLists<T>(work: () => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient;
      Object.assign(runner, { isTransactionActive: true });
      const unit = new TransactionState(
        client,
        { begin: beginAt(this.clock, { mode: SNAPSHOT }), trace: this.trace },
        runner,
      );
      return await inTransaction(unit, work);
    } catch (error) {
      this.checkDisk(error);
      throw error;
    } finally {
      if (!runner.isReleased) await runner.release();
    }
  }

  /** The work's statements and snapshots use this pool outside transactions, except in `apart`. */
  readFrom<T>(pool: ServicePool, work: () => T): T {
    return readPools.run(pool, work);
  }

  /** Runs the work, checks deferred constraints, rolls back the changes, and returns the result. */
  async dryRun<T>(work: () => Promise<T>): Promise<T> {
    const performed: { result: T }[] = [];
    const end = new Error('The dry run has ended');
    const run = this.transaction(async () => {
      performed.push({ result: await work() });
      await units.getStore()?.finish();
      await this.query('set constraints all immediate');
      throw end;
    });
    await run.catch((error: unknown) => {
      if (error !== end) throw error;
    });
    const last = performed.at(-1);
    if (!last) throw new Error('Nothing was performed');
    return last.result;
  }

  /**
   * Runs the work independently of the running transaction: its writes are kept even if that transaction is rolled back.
   */
  apart<T>(work: () => Promise<T>): Promise<T> {
    return units.exit(() => readPools.exit(work));
  }

  get isInTransaction(): boolean {
    return units.getStore() !== undefined;
  }

  /** Runs after the commit of the running transaction; at once if there is none. */
  afterCommit(work: () => void | Promise<void>): void {
    const unit = units.getStore();
    if (unit) unit.afterCommit.push(work);
    else void work();
  }

  /**
   * Runs once before the commit of the running transaction, in it and after all of its other work. Later work with the same key is
   * ignored.
   */
  beforeCommit(key: string, work: () => Promise<void>): void {
    const unit = units.getStore();
    if (!unit) throw new Error('Only a transaction has work before its commit');
    if (!unit.beforeCommit.has(key)) unit.beforeCommit.set(key, work);
  }

  /** Adds an item for the collector, which writes all items in one statement just before the commit. */
  collect<Item>(collector: Collector<Item>, item: Item): void {
    const unit = units.getStore();
    if (!unit) throw new Error('Only a transaction can collect what is written at its end');
    unit.collect(collector, item);
  }

  /** Writes the collected items now, for callers that read them in the same transaction. */
  async writeCollected<Item>(collector: Collector<Item>): Promise<void> {
    const statement = units.getStore()?.take(collector);
    if (statement) await this.run(statement);
  }

  /** Waits until the running transaction has executed all statements that were to be sent later, so that the caller gets their errors. */
  async flush(): Promise<void> {
    await units.getStore()?.flush();
  }

  /** The statements of one entity. */
  rows<Entity extends Versioned>(entity: EntityTarget<Entity>): Rows<Entity> {
    return new Rows(entity, this);
  }

  /** Returns the entity's repository, inside the running transaction if there is one. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return this.manager().getRepository(entity);
  }

  /** Adds a row. Inside a transaction it is sent with the next statement or the commit, which then fails with its error. */
  async insert<Entity extends ObjectLiteral>(entity: Entity): Promise<void> {
    await this.write(this.statementsOf(targetOf(entity)).insert(entity));
  }

  /**
   * Inserts a row in one statement, unless a unique key is taken: then nothing happens, and the transaction remains
   * usable. Waits for a concurrent transaction that has the key and may still roll back.
   */
  async insertUnlessTaken<Entity extends ObjectLiteral>(entity: Entity): Promise<boolean> {
    const { rowCount } = await this.run(this.statementsOf(targetOf(entity)).insertUnlessTaken(entity));
    return rowCount === 1;
  }

  /** Like `insertUnlessTaken`, but returns these SQL expressions of the new row, or null if a key is taken. */
  async insertReturning<Entity extends ObjectLiteral, Values>(entity: Entity, list: string): Promise<Values | null> {
    const { rows } = await this.run(this.statementsOf(targetOf(entity)).insertReturning(entity, list));
    return (rows[0] as Values | undefined) ?? null;
  }

  /** Writes all columns of a locked row and raises its version. Sent like an insert; fails if the row was not locked. */
  async update<Entity extends Versioned>(entity: Entity): Promise<void> {
    await this.write(this.statementsOf(targetOf(entity)).update(entity));
    entity.version += 1;
  }

  /** Locks the row until the transaction ends. Returns null if it does not exist. */
  async lock<Entity extends Versioned>(entity: EntityTarget<Entity>, id: string): Promise<Entity | null> {
    if (!units.getStore()) throw new Error('Only a transaction can lock a row');
    const statements = this.statementsOf(entity);
    const { rows } = await this.run(statements.lock(id));
    return rows[0] ? (statements.entityOf(rows[0]) as Entity) : null;
  }

  /** Locks the existing rows until the transaction ends, in the order of their ids. */
  async lockAll<Entity extends Versioned>(entity: EntityTarget<Entity>, ids: readonly string[]): Promise<Entity[]> {
    if (!units.getStore()) throw new Error('Only a transaction can lock rows');
    return this.entities(entity, this.statementsOf(entity).lockAll(ids));
  }

  async findRow<Entity extends ObjectLiteral>(
    entity: EntityTarget<Entity>,
    where: ObjectLiteral,
  ): Promise<Entity | null> {
    const [found] = await this.findRows(entity, where);
    return found ?? null;
  }

  /** Returns the rows whose properties have these values, sorted ascending. */
  async findRows<Entity extends ObjectLiteral>(
    entity: EntityTarget<Entity>,
    where: ObjectLiteral,
    order: readonly string[] = [],
  ): Promise<Entity[]> {
    return this.entities(entity, this.statementsOf(entity).find(where, order));
  }

  /** Reads entities by a statement that selects `columnsOf` them; `raw` has the other selected columns. */
  async read<Entity extends ObjectLiteral, Raw extends ObjectLiteral = ObjectLiteral>(
    entity: EntityTarget<Entity>,
    statement: Statement,
  ): Promise<{ entity: Entity; raw: Raw }[]> {
    const statements = this.statementsOf(entity);
    const { rows } = await this.run(statement);
    return rows.map((row) => ({ entity: statements.entityOf(row) as Entity, raw: row as Raw }));
  }

  /** Returns a page of the entities that the builder finds, and their total number; `raw` has the other selected columns. */
  async page<Entity extends ObjectLiteral, Raw extends ObjectLiteral = ObjectLiteral>(
    found: SelectQueryBuilder<Entity>,
    bounds: PageBounds,
  ): Promise<{ rows: { entity: Entity; raw: Raw }[]; total: number }> {
    const entity = found.expressionMap.mainAlias?.metadata.target as EntityTarget<Entity>;
    const statement = pageStatement(found, this.columnsOf(entity, found.alias), bounds);
    const rows = await this.read<Entity, Raw>(entity, statement);
    const [first] = rows;
    if (first) return { rows, total: Number(first.raw[TOTAL]) };
    return { rows, total: bounds.offset > 0 ? await this.count(found) : 0 };
  }

  /** Counts the rows that the builder finds. */
  async count<Entity extends ObjectLiteral>(found: SelectQueryBuilder<Entity>): Promise<number> {
    const [counted] = (await this.run(countStatement(found))).rows;
    return Number(counted?.[TOTAL] ?? 0);
  }

  /** The entity's columns under an alias, for a SELECT. */
  columnsOf<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>, alias: string): string {
    return this.statementsOf(entity).columnsOf(alias);
  }

  /** Like `update`; if a unique key of the row is taken, nothing happens, and the transaction remains usable. */
  async updateUnlessTaken<Entity extends Versioned>(entity: Entity): Promise<boolean> {
    const unit = units.getStore();
    if (!unit) throw new Error('Only a transaction can try an update');
    const statement = this.statementNames.limit(this.statementsOf(targetOf(entity)).update(entity));
    try {
      await unit.attempt(statement);
    } catch (error) {
      if (databaseErrorOf(error)?.code !== UNIQUE_VIOLATION) throw error;
      return false;
    }
    entity.version += 1;
    return true;
  }

  /** Returns the rows of a SELECT, or of an INSERT, UPDATE or DELETE with RETURNING. Pass values only as parameters. */
  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.execute(text, values);
    return rows as Row[];
  }

  /** Returns how many rows the statement changed. */
  async execute(text: string, values: unknown[] = []): Promise<{ rows: unknown[]; count: number }> {
    const { rows, rowCount } = await this.run({ text, values });
    return { rows, count: rowCount ?? 0 };
  }

  /**
   * Deletes all rows that satisfy the condition, in batches with a transaction each: one statement for millions of rows would
   * exceed its time limit each time. The condition needs an index. Returns the number of rows.
   */
  async purge(table: string, condition: string, values: readonly unknown[]): Promise<number> {
    if (units.getStore()) throw new Error('A purge has transactions of its own');
    const selected = `select ctid from ${table} where ${condition} limit ${PURGED_AT_ONCE}`;
    // The outer condition handles a row that another transaction has locked and then renewed: servers older than the releases
    // of November 2025 do not compare its ctid again.
    const text = `delete from ${table} where ctid = any (array(${selected})) and (${condition})`;
    let deleted = 0;
    for (let count = PURGED_AT_ONCE; count === PURGED_AT_ONCE; deleted += count) {
      count = (await this.execute(text, [...values])).count;
    }
    return deleted;
  }

  /** Like `query`, but prepared by name on each connection; use it for frequent statements. */
  async prepared<Row>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    const { rows } = await this.run({ name, text, values });
    return rows as Row[];
  }

  /**
   * Runs a statement whose result is not needed. Inside a transaction it is sent with the next statement or the commit, which
   * then fails with its error, so the statement must fail whenever it is wrong (see `require_one_row`).
   */
  async write(statement: Statement): Promise<void> {
    const unit = units.getStore();
    if (unit) await unit.queue(this.statementNames.limit(statement));
    else await this.run(statement);
  }

  /** Statements that the work sends before its first `await` are sent in one write: one round trip for all of them. */
  together<T>(work: () => T): T {
    const unit = units.getStore();
    return unit ? unit.together(work) : work();
  }

  /** The pool itself, for the job runner and the watchdog. */
  pool(): ServicePool {
    return poolOf(this.dataSource);
  }

  /**
   * Destroys the connections of a request, so that they are not reused. Returns the ids of the server processes, which do not
   * notice this while they run a statement.
   */
  abandon(context: RequestContext): number[] {
    return this.pool().abandon(context);
  }

  /** Number of statement names in use, which is the maximum number of prepared statements per connection. */
  get statementNameCount(): number {
    return this.statementNames.count;
  }

  private manager(): EntityManager {
    const unit = units.getStore();
    if (!unit) return this.dataSource.manager;
    if (!unit.runner) throw new Error('A snapshot is read by statements, without repositories');
    return unit.runner.manager;
  }

  private run(statement: Statement): Promise<QueryResult<ObjectLiteral>> {
    const unit = units.getStore();
    const limited = this.statementNames.limit(statement);
    if (unit) return unit.send(limited);
    const pool = readPools.getStore() ?? this.pool();
    const send = (): Promise<QueryResult<ObjectLiteral>> => pool.query(limited);
    const answer = this.trace ? this.trace(limited, send) : send();
    answer.catch((error: unknown) => this.checkDisk(error));
    return answer;
  }

  private checkDisk(error: unknown): void {
    if (isDiskFull(error)) this.diskFullListener(error);
  }

  private async entities<Entity extends ObjectLiteral>(
    entity: EntityTarget<Entity>,
    statement: Statement,
  ): Promise<Entity[]> {
    const statements = this.statementsOf(entity);
    const { rows } = await this.run(statement);
    return rows.map((row) => statements.entityOf(row) as Entity);
  }

  private statementsOf<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): RowStatements {
    const known = this.rowStatements.get(entity);
    if (known) return known;
    const made = new RowStatements(this.dataSource.getMetadata(entity));
    this.rowStatements.set(entity, made);
    return made;
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient;
      Object.assign(runner, { isTransactionActive: true });
      const condition = requireLiveCaller(findContext(), this.clock.now());
      const unit = new TransactionState(
        client,
        { begin: beginAt(this.clock, { condition }), trace: this.trace },
        runner,
      );
      const result = await inTransaction(unit, work);
      await runner.release();
      for (const follow of unit.afterCommit) await units.exit(follow);
      return result;
    } finally {
      if (!runner.isReleased) await runner.release();
    }
  }
}

function jitter(attempt: number): number {
  return attempt * randomInt(JITTER_MS / 2, JITTER_MS * 2);
}
