import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Collector } from '../../../platform/database/transaction-state.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { LOG } from '../../../platform/observability/log.js';
import { type AuditEntry, columnsOf, INSERT_ENTRIES, toEntry, type VaultRecord } from './audit-entry.js';

const INTERVAL_MS = 500;
const ROWS_PER_STATEMENT = 1_000;
/** Entries wait in memory while the database is unavailable; beyond this number they go to the log instead. */
const MAX_WAITING = 100_000;

/**
 * The audit of the vault. Changes of vaults and keys are recorded in their transactions; encryptions and decryptions after
 * their responses, in batches, within half a second.
 */
@Injectable()
export class VaultAuditService implements Collector<AuditEntry>, OnModuleInit, OnApplicationShutdown {
  readonly order = 20;
  private readonly waiting: AuditEntry[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Starts the timer without the context of a request. */
  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), INTERVAL_MS).unref();
  }

  /** Runs after the last response and before the database connections are closed. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
    for (const entry of this.waiting) this.logEntry(entry);
  }

  /** Runs the work and records its outcome; the work may add members to the record. */
  async audited<T>(record: VaultRecord, work: (record: VaultRecord) => Promise<T>): Promise<T> {
    try {
      const result = await work(record);
      this.append(record, 'done');
      return result;
    } catch (error) {
      this.append(record, error instanceof AppError ? error.code : 'failed');
      throw error;
    }
  }

  /** Records a change in the transaction of the change. */
  recordChange(record: VaultRecord): void {
    this.database.collect(this, toEntry(record, 'done', this.clock.now()));
  }

  statement(entries: AuditEntry[]): Statement {
    return { text: INSERT_ENTRIES, values: columnsOf(entries) };
  }

  private append(record: VaultRecord, outcome: string): void {
    const entry = toEntry(record, outcome, this.clock.now());
    if (this.waiting.length < MAX_WAITING) this.waiting.push(entry);
    else this.logEntry(entry);
  }

  /** Writes the waiting entries batch by batch, in order. */
  private flush(): Promise<void> {
    this.writing = this.writing.then(() => this.writeWaiting());
    return this.writing;
  }

  private async writeWaiting(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, ROWS_PER_STATEMENT);
      try {
        const { text, values } = this.statement(batch);
        await this.database.execute(text, values);
      } catch (error) {
        this.log.warn({ err: error, waiting: this.waiting.length }, 'cannot write the vault audit; will retry');
        return;
      }
      this.waiting.splice(0, batch.length);
    }
  }

  private logEntry(entry: AuditEntry): void {
    this.log.error({ vaultAudit: entry }, 'vault audit entry not stored');
  }
}
