import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { PURPOSES } from '../../../platform/database/table-declarations.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { FileLinks } from '../../../platform/files/file-links.js';
import { FileStore } from '../../../platform/files/file-store.js';
import { newId } from '../../../platform/ids/id.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { CustomersRepository } from '../customers/customers.repository.js';
import { DataExport, exportExpired } from './data-export.entity.js';
import { PersonsService } from './persons.service.js';

const EXPORT_JOB = 'customers.export';
const KEPT_SECONDS = 7 * 24 * 3600;
const BATCH = 100;

/** Writes files with everything about a customer (GDPR, article 15), and deletes them after seven days. */
@Injectable()
export class DataExportsService {
  private readonly rows: Rows<DataExport>;

  constructor(
    private readonly database: Database,
    private readonly customers: CustomersRepository,
    private readonly persons: PersonsService,
    private readonly files: FileStore,
    private readonly links: FileLinks,
    private readonly ledger: ActionLedger,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(DataExport);
  }

  /** Requests an export; a job writes it. Throws 404, and 409 `customer_erased` or `customer_merged`. */
  async request(customerId: string, id = newId('cexp')): Promise<DataExport> {
    return this.database.transaction(async () => {
      const { status, mergedIntoId } = await this.customers.rows.lock(customerId);
      if (status === 'erased') throw conflict('customer_erased', 'The data of the customer was erased', { customerId });
      if (status === 'merged') {
        throw conflict('customer_merged', 'The customer was merged into another one', { mergedIntoId, customerId });
      }
      const requested = make(DataExport, {
        id,
        customerId,
        status: 'pending',
        requestedBy: currentActor().id,
        createdAt: this.clock.now(),
      });
      await this.rows.insert(requested);
      await this.jobs.add(EXPORT_JOB, { exportId: requested.id }, { key: requested.id });
      this.ledger.record('customers.customer.export', {
        subjectType: 'customer',
        subjectId: customerId,
        before: null,
        after: { exportId: requested.id },
      });
      return requested;
    });
  }

  async get(customerId: string, id: string): Promise<DataExport> {
    const found = await this.rows.get(id);
    if (found.customerId !== customerId) throw notFound();
    return found;
  }

  /** A signed link to the file. */
  async linkTo(customerId: string, id: string): Promise<string> {
    const key = (await this.get(customerId, id)).downloadable(this.clock.now());
    // A restored row may name a file that was deleted.
    if (!(await this.files.has(key))) throw exportExpired();
    const file = { key, name: `customer-${customerId}.json`, type: 'application/octet-stream' };
    return (await this.links.linkTo(file, currentActor().credentialId)).path;
  }

  /**
   * Writes the file. Its key is recorded before it is stored, so that a file of a killed process is found, and after that an
   * erasure that has begun in the meantime deletes it.
   */
  @Job(EXPORT_JOB)
  async write(payload: unknown): Promise<void> {
    const id = exportIdOf(payload);
    const bytes = await this.contentOf(await this.rows.get(id));
    const key = createHash('sha256').update(bytes).digest('hex');
    const formerKey = await this.whilePending(id, async (row) => {
      const { storageKey } = row;
      row.storageKey = key;
      await this.rows.update(row);
      return storageKey;
    });
    if (formerKey === undefined) return;
    if (formerKey !== null && formerKey !== key) await this.files.delete(formerKey);
    const file = await this.files.put(bytes);
    const completed = await this.whilePending(id, async (row) => {
      row.complete(file, { now: this.clock.now(), expiresAt: this.clock.inSeconds(KEPT_SECONDS) });
      await this.rows.update(row);
      return true;
    });
    if (!completed) await this.files.delete(key);
  }

  private async contentOf({ id, customerId }: DataExport): Promise<Buffer> {
    const data = await this.database.snapshot(async () => {
      const customer = await this.customers.rows.get(customerId);
      return this.persons.collect(await this.persons.personOf(customer), { opensSealed: true });
    });
    const classes = data.map(({ dataClass, records, ...place }) => {
      return { class: dataClass, purpose: PURPOSES[dataClass], ...place, records };
    });
    // The id makes the file one of its own, so that it can be deleted.
    const content = { exportId: id, customerId, createdAt: this.clock.now().toISOString(), data: classes };
    return Buffer.from(JSON.stringify(content, null, 2));
  }

  /** Returns undefined if the export no longer waits, as after an erasure of the customer. */
  private async whilePending<T>(id: string, work: (row: DataExport) => Promise<T>): Promise<T | undefined> {
    return this.database.transaction(async () => {
      const row = await this.rows.lock(id);
      return row.status === 'pending' ? work(row) : undefined;
    });
  }

  /** Deletes the files of expired exports. */
  @Cron('customers.exports.retention', '47 3 * * *')
  async deleteExpired(): Promise<void> {
    const expired = 'expires_at <= $1';
    while ((await this.delete(expired, [this.clock.now()])) === BATCH);
  }

  /** Deletes the files of these customers, which contain what is erased. Returns their number. */
  async deleteOf(customerIds: readonly string[]): Promise<number> {
    return this.delete('customer_id = any($1)', [customerIds], 10_000);
  }

  private async delete(condition: string, values: unknown[], limit = BATCH): Promise<number> {
    return this.database.transaction(async () => {
      const exports = await this.rows.read({
        text: `select ${this.rows.columns('row')} from customer_data_exports row
          where status <> 'expired' and ${condition} order by id limit ${limit} for update`,
        values,
      });
      for (const row of exports) {
        if (row.storageKey !== null) await this.files.delete(row.storageKey);
        row.expire(this.clock.now());
      }
      await this.rows.updateAll(exports);
      return exports.length;
    });
  }
}

function exportIdOf(payload: unknown): string {
  const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'exportId') : undefined;
  if (typeof id !== 'string') throw new Error('The payload has no exportId');
  return id;
}
