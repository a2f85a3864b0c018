import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { InvoiceReader } from '../invoices/invoice-reader.service.js';
import { InvoiceRendition } from './invoice-rendition.entity.js';
import { type ListRenditions, type RequestRendition, toRendition } from './rendition.dto.js';

export const RENDER = 'invoice-rendition.render';
export const MAX_ATTEMPTS = 5;

@Injectable()
export class Renditions {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoiceReader,
    private readonly ledger: ActionLedger,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** A new version, rendered by a job. Throws 404, 409 `invoice_not_issued`. */
  async request(invoiceId: string, wanted: RequestRendition, id = newId('rend')): Promise<InvoiceRendition> {
    const { format, language = 'en' } = wanted;
    return this.database.transaction(async () => {
      // Held, so that two requests do not take one version.
      const { invoice } = await this.invoices.lock(invoiceId);
      if (invoice.number === null) throw conflict('invoice_not_issued', 'Only issued invoices can be rendered');
      const last = await this.database
        .repository(InvoiceRendition)
        .findOne({ where: { invoiceId, format, language }, order: { version: 'DESC' } });
      const rendition = make(InvoiceRendition, {
        id,
        invoiceId,
        format,
        language,
        version: (last?.version ?? 0) + 1,
        status: 'pending',
        storageKey: null,
        sha256: null,
        sizeBytes: null,
        attempts: 0,
        leaseUntil: null,
        failure: null,
        createdAt: this.clock.now(),
        readyAt: null,
      });
      await this.database.insert(rendition);
      await this.jobs.add(RENDER, { renditionId: id }, { key: id, maxAttempts: MAX_ATTEMPTS });
      this.ledger.record('finance.invoice_rendition.request', {
        subjectType: 'invoice_rendition',
        subjectId: id,
        after: toRendition(rendition),
      });
      return rendition;
    });
  }

  /** Newest first. Throws 404. */
  async list(invoiceId: string, query: ListRenditions): Promise<{ renditions: InvoiceRendition[]; total: number }> {
    await this.invoices.bookingIdOf(invoiceId);
    const { limit: take, offset: skip } = pageBounds(query);
    const [renditions, total] = await this.database
      .repository(InvoiceRendition)
      .findAndCount({ where: { invoiceId }, order: { createdAt: 'DESC', id: 'DESC' }, take, skip });
    return { renditions, total };
  }
}
