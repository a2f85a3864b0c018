import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { FileLinks } from '../../../platform/files/file-links.js';
import { FileStore } from '../../../platform/files/file-store.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { OrganizationService } from '../../organization/index.js';
import { InvoicesRepository } from '../receivables/index.js';
import { InvoiceRendition, type RenditionFormat, type RenditionStatus } from './invoice-rendition.entity.js';
import type { LinkDisposition, ListRenditions, RequestRendition } from './rendition.dto.js';
import { RenditionsRepository } from './renditions.repository.js';

export const RENDER_JOB = 'invoice-rendition.render';

const MEDIA_TYPES: Record<RenditionFormat, string> = { html: 'text/html; charset=utf-8', pdf: 'application/pdf' };
const POLL_MS = 1_000;

interface LinkRequest {
  allowStale?: boolean;
  disposition?: LinkDisposition;
}

export interface RenditionLink {
  /** A path of this host. */
  url: string;
  expiresAt: Date;
  fileName: string;
  disposition: LinkDisposition;
}

/** Manages requests for renditions of invoices, and links to the files. `RenditionJobs` renders them. */
@Injectable()
export class RenditionsService {
  constructor(
    private readonly database: Database,
    private readonly repository: RenditionsRepository,
    private readonly invoices: InvoicesRepository,
    private readonly organization: OrganizationService,
    private readonly files: FileStore,
    private readonly links: FileLinks,
    private readonly ledger: ActionLedger,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Creates a new version of the format and language; a job renders it. */
  async request(invoiceId: string, requested: RequestRendition, id = newId('rend')): Promise<InvoiceRendition> {
    const { format } = requested;
    const language = requested.language ?? (await this.organization.getProfile()).defaultLanguage;
    return this.database.transaction(async () => {
      // Locks the invoice, so that concurrent requests get different versions.
      const { document } = await this.invoices.lock(invoiceId);
      if (document.number === null) throw conflict('invoice_not_issued', 'Only issued invoices can be rendered');
      const rendition = make(InvoiceRendition, {
        id,
        invoiceId,
        format,
        language,
        version: await this.repository.nextVersion({ invoiceId, format, language }),
        status: 'pending',
        attempts: 0,
        createdAt: this.clock.now(),
      });
      await this.repository.insert(rendition);
      await this.jobs.add(RENDER_JOB, { renditionId: id }, { key: id });
      this.ledger.record('finance.invoice_rendition.request', {
        subjectType: 'invoice_rendition',
        subjectId: id,
        after: rendition.auditImage(),
      });
      return rendition;
    });
  }

  /** Newest first. */
  async list(invoiceId: string, query: ListRenditions): Promise<{ rows: InvoiceRendition[]; total: number }> {
    await this.invoices.bookingIdOf(invoiceId);
    return this.repository.list(invoiceId, query);
  }

  /** Makes a signed link to the file; only a PDF can be `inline`. */
  async linkTo(id: string, { allowStale = false, disposition = 'attachment' }: LinkRequest): Promise<RenditionLink> {
    const { invoiceId, number, format, status, storageKey } = await this.repository.getDownloadable(id);
    assertDownloadable(status, allowStale);
    if (storageKey === null || !(await this.files.has(storageKey))) {
      throw new AppError(410, 'rendition_file_missing', 'The file was deleted; request a new rendition');
    }
    const name = `${fileNameOf(number)}.${format}`;
    const inline = disposition === 'inline' && format === 'pdf';
    const file = { key: storageKey, name, type: MEDIA_TYPES[format], inline };
    const { path, expiresAt } = await this.links.linkTo(file, currentActor().credentialId);
    // The ledger does not contain reads; the log shows who downloaded the invoice of a customer.
    this.log.info({ download: { renditionId: id, invoiceId, actor: currentActor().id } }, 'an invoice was downloaded');
    return { url: path, expiresAt, fileName: name, disposition: inline ? 'inline' : 'attachment' };
  }
}

function assertDownloadable(status: RenditionStatus, allowStale: boolean): void {
  switch (status) {
    case 'ready':
      return;
    case 'pending':
      throw new AppError(409, 'rendition_not_ready', 'The rendition is not ready yet', { retryAfterMs: POLL_MS });
    case 'failed':
      throw conflict('rendition_failed', 'Rendering failed; request a new rendition');
    case 'stale':
      if (!allowStale) throw conflict('rendition_stale', 'A newer rendition is ready');
  }
}

/** Makes a file name of the invoice number: a dash replaces characters that a header or a file system may misinterpret. */
export function fileNameOf(number: string): string {
  const plain = number.replace(/[^A-Za-z0-9._-]+/g, '-');
  return /[A-Za-z0-9_](?:.*[A-Za-z0-9_])?/.exec(plain)?.[0] ?? 'invoice';
}
