import type { QueryResult } from 'pg';
import type { ObjectLiteral } from 'typeorm';
import type { RequestContext } from '../context/request-context.js';
import type { ServicePool } from './service-pool.js';
import type { Statement } from './statement.js';
import type { FollowingStatement } from './transaction-state.js';

/** What is different if reads may be answered by replicas. */
export interface Replication {
  /** Runs a statement outside of transactions, on a replica or `onPrimary`. */
  run(statement: Statement, onPrimary: () => Promise<QueryResult<ObjectLiteral>>): Promise<QueryResult<ObjectLiteral>>;
  /** Runs work that only reads on the pool of a replica or `onPrimary`. */
  read<T>(onReplica: (pool: ServicePool) => Promise<T>, onPrimary: () => Promise<T>): Promise<T>;
  onPrimary<T>(work: () => T): T;
  /** The statement after the commit that records its position; null if no caller can read this write. */
  beginTransaction(): FollowingStatement | null;
  /** Destroys the connections of a request. */
  abandon(context: RequestContext): void;
}
