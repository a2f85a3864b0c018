import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import {
  DataSource,
  type EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  type QueryRunner,
  type QueryDeepPartialEntity,
  type Repository,
} from 'typeorm';
import { databaseErrorOf, isRetryable } from '../errors/database-refusals.js';
import { poolOf } from './pool.js';
import type { ServicePool } from './service-pool.js';
import { targetOf, type Versioned } from './rows.js';
import { type Collector, UnitOfWork, units } from './unit-of-work.js';

const MAX_ATTEMPTS = 6;
const JITTER_MS = 30;
const UNIQUE_VIOLATION = '23505';

/** The only way to the database. A transaction is ambient: whoever is called inside it works in it. */
@Injectable()
export class Database {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Runs the work in a transaction and returns its result after the commit. Inside another one it joins it. The
   * outermost one runs the work again, up to five times, after a serialization failure or a deadlock: whatever
   * touches more than the database belongs in `afterCommit`.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (units.getStore()) return work();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(work);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isRetryable(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, jitter(attempt)));
      }
    }
  }

  /** Runs the work outside of the running transaction: what it writes stays, whatever becomes of that. */
  apart<T>(work: () => Promise<T>): Promise<T> {
    return units.exit(work);
  }

  /** Happens once the running transaction is committed; at once where there is none. */
  afterCommit(work: () => void | Promise<void>): void {
    const unit = units.getStore();
    if (unit) unit.afterCommit.push(work);
    else void work();
  }

  /** Leaves an item for the collector, which writes all of them in one statement just before the commit. */
  collect<Item>(collector: Collector<Item>, item: Item): void {
    const unit = units.getStore();
    if (!unit) throw new Error('Only a transaction can collect what is written at its end');
    unit.collect(collector, item);
  }

  /** The entity's repository, inside the running transaction if there is one. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return this.manager().getRepository(entity);
  }

  /** Adds a row, in one statement. */
  async insert<Entity extends ObjectLiteral>(entity: Entity): Promise<void> {
    const into = this.repository(targetOf(entity)).createQueryBuilder().insert();
    // TypeORM's type of an insertable row cannot say that a JSON column holds what the entity says.
    await into.values(entity).updateEntity(false).execute();
  }

  /**
   * Adds a row in one statement, unless a unique key of it is taken: then nothing happens, and the running transaction
   * lives on to find out by whom. Waits for a concurrent transaction that has the key and may yet roll back.
   */
  async insertUnlessTaken<Entity extends ObjectLiteral>(entity: Entity): Promise<boolean> {
    const into = this.repository(targetOf(entity)).createQueryBuilder().insert();
    const result = await into.values(entity).orIgnore().returning('id').updateEntity(false).execute();
    const added: unknown = result.raw;
    return Array.isArray(added) && added.length > 0;
  }

  /** Writes all columns of a row that was read under a lock, in one statement, and raises its version. */
  async update<Entity extends Versioned>(entity: Entity): Promise<void> {
    const { id, version } = entity;
    const row = { ...entity, version: version + 1 } as QueryDeepPartialEntity<Entity>;
    const change = this.repository(targetOf(entity)).createQueryBuilder().update().set(row);
    const { affected } = await change.where('id = :id and version = :version', { id, version }).execute();
    if (affected !== 1) throw new Error(`${id} was changed without its lock`);
    entity.version = version + 1;
  }

  /** `update`, unless a unique key of the row is taken: then nothing happens, and the running transaction lives on. */
  async updateUnlessTaken<Entity extends Versioned>(entity: Entity): Promise<boolean> {
    await this.execute('savepoint unless_taken');
    try {
      await this.update(entity);
    } catch (error) {
      if (databaseErrorOf(error)?.code !== UNIQUE_VIOLATION) throw error;
      await this.execute('rollback to savepoint unless_taken');
      return false;
    }
    await this.execute('release savepoint unless_taken');
    return true;
  }

  /** Rows of a SELECT, or of an INSERT, UPDATE or DELETE with RETURNING. Values only as parameters. */
  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.execute(text, values);
    return rows as Row[];
  }

  /** How many rows the statement changed. */
  async execute(text: string, values: unknown[] = []): Promise<{ rows: unknown[]; count: number }> {
    const { rows, rowCount } = await (await this.connection()).query(text, values);
    return { rows, count: rowCount ?? 0 };
  }

  /** Like `query`, prepared under a name on each connection: for hot statements. One name, one text. */
  async prepared<Row>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    const { rows } = await (await this.connection()).query({ name, text, values });
    return rows as Row[];
  }

  /** The pool itself, for what lends it on or watches over it: the job runner and the watchdog. */
  pool(): ServicePool {
    return poolOf(this.dataSource);
  }

  private manager(): EntityManager {
    return units.getStore()?.runner.manager ?? this.dataSource.manager;
  }

  private async connection(): Promise<Pick<Pool, 'query'>> {
    const unit = units.getStore();
    return unit ? ((await unit.runner.connect()) as Pick<Pool, 'query'>) : this.pool();
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    const runner: QueryRunner = this.dataSource.createQueryRunner();
    const unit = new UnitOfWork(runner);
    let result: T;
    try {
      await runner.startTransaction();
      result = await units.run(unit, async () => {
        const answer = await work();
        await unit.writeCollected();
        return answer;
      });
      await runner.commitTransaction();
    } catch (error) {
      // The connection may be the thing that broke; then the rollback fails too and the first error is the one to tell.
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
    for (const follow of unit.afterCommit) await units.exit(follow);
    return result;
  }
}

function jitter(attempt: number): number {
  return attempt * randomInt(JITTER_MS / 2, JITTER_MS * 2);
}
