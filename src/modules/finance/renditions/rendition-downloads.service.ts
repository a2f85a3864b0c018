import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { AppError, conflict, notFound } from '../../../platform/errors/app-error.js';
import { FileLinks } from '../../../platform/files/file-links.js';
import { FileStore } from '../../../platform/files/file-store.js';
import { LOG } from '../../../platform/observability/log.js';
import type { RenditionFormat, RenditionStatus } from './invoice-rendition.entity.js';

const TYPES: Record<RenditionFormat, string> = { html: 'text/html; charset=utf-8', pdf: 'application/pdf' };
const POLL_MS = 1_000;

interface Downloadable {
  invoiceId: string;
  number: string;
  format: RenditionFormat;
  status: RenditionStatus;
  storageKey: string | null;
}

/** Hands out links to rendered files, and notes who asked. */
@Injectable()
export class RenditionDownloads {
  constructor(
    private readonly database: Database,
    private readonly files: FileStore,
    private readonly links: FileLinks,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Throws 404, 409 `rendition_not_ready`, `rendition_failed`, `rendition_stale` unless it will do, 410
   * `rendition_file_missing`, 503 where the files are away.
   */
  async linkTo(id: string, { allowStale }: { allowStale: boolean }): Promise<string> {
    const { invoiceId, number, format, status, storageKey } = await this.find(id);
    assertThere(status, allowStale);
    if (storageKey === null || !(await this.files.has(storageKey))) {
      throw new AppError(410, 'rendition_file_missing', 'The file was deleted; request a new rendition');
    }
    const url = await this.links.linkTo({
      key: storageKey,
      name: `${fileNameOf(number)}.${format}`,
      type: TYPES[format],
    });
    // A read writes no ledger entry; who took a customer's invoice is told by the log.
    this.log.info({ download: { renditionId: id, invoiceId, actor: currentActor().id } }, 'an invoice was downloaded');
    return url;
  }

  private async find(id: string): Promise<Downloadable> {
    const [row] = await this.database.prepared<Downloadable>(
      'rendition-download',
      `select rendition.invoice_id as "invoiceId", invoice.number, rendition.format, rendition.status,
         rendition.storage_key as "storageKey"
       from invoice_renditions rendition join invoices invoice on invoice.id = rendition.invoice_id
       where rendition.id = $1`,
      [id],
    );
    if (!row) throw notFound();
    return row;
  }
}

function assertThere(status: RenditionStatus, allowStale: boolean): void {
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

/** A number as a name of a file: what a header or a disk could misunderstand becomes a dash. */
function fileNameOf(number: string): string {
  const plain = number.replace(/[^A-Za-z0-9._-]+/g, '-');
  return /[A-Za-z0-9_](?:.*[A-Za-z0-9_])?/.exec(plain)?.[0] ?? 'invoice';
}
