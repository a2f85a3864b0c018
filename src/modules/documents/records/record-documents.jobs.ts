import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { EnclosedFiles } from '../../../platform/files/enclosed-files.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { renderInThread } from '../../../platform/pdf/pdf-threads.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { BlockDocuments } from '../layout/block-documents.js';
import { DocumentPrinter, orientationOf, type PrintableDocument } from '../kinds/document-kinds.js';
import { DocumentTemplatesService } from '../templates/document-templates.service.js';
import { DocumentErasuresService } from './document-erasures.service.js';
import type { RecordDocument, RenderedFile } from './record-document.entity.js';
import { digestOf, RENDER_DOCUMENT } from './record-documents.service.js';
import { RecordDocumentsRepository } from './record-documents.repository.js';

const BATCH = 100;

/** Renders documents. Each is one job of the queue, which retries it. */
@Injectable()
export class RecordDocumentJobs {
  constructor(
    private readonly database: Database,
    private readonly repository: RecordDocumentsRepository,
    private readonly erasures: DocumentErasuresService,
    private readonly enclosed: EnclosedFiles,
    private readonly documents: BlockDocuments,
    private readonly templates: DocumentTemplatesService,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Throws to make the queue retry. Outages of the file store or database use the queue's normal retry limit. No transaction is
   * open while the document is rendered. A document that is no longer pending is left as it is.
   */
  @Job(RENDER_DOCUMENT)
  async render(payload: unknown): Promise<void> {
    const document = await this.startAttempt(documentIdOf(payload));
    if (!document) return;
    try {
      await this.print(document);
    } catch (error) {
      this.log.error({ err: error, documentId: document.id, attempt: document.attempts }, 'rendering failed');
      const failure = (error instanceof Error ? error.message : String(error)) || 'unknown';
      const isUnavailable = error instanceof AppError && error.status === 503;
      if (isUnavailable) await this.postponeAttempt(document.id, failure);
      // The record has no such document any more, so a further attempt would fail too.
      const isFinal = error instanceof AppError && error.status < 500;
      if (isUnavailable || (await this.failAttempt(document.id, failure, isFinal))) throw error;
    }
  }

  /** Deletes the documents of records that were deleted, or whose personal data has ended. Runs after the jobs that erase records. */
  @Cron('documents.records.erasure', '27 4 * * *')
  async eraseEnded(): Promise<void> {
    while ((await this.database.transaction(() => this.eraseBatch())) === BATCH);
  }

  private async eraseBatch(): Promise<number> {
    const ended = await this.listeners.one(DocumentPrinter).listEnded(BATCH);
    await this.erasures.erase({ subjects: ended, namedIds: [] });
    return ended.length;
  }

  /** Names the bytes in the row before they are stored, so that an erasure finds them. */
  private async print(document: RecordDocument): Promise<void> {
    const printable = await this.listeners.one(DocumentPrinter).read(document, document.language);
    const pdf = Buffer.from(await this.pdfOf(document, printable));
    const enclosure = await this.enclosed.enclose(pdf, document.id);
    const file: RenderedFile = {
      ...{ fileName: printable.fileName, isOffer: printable.isOffer, dataSha256: digestOf(printable) },
      ...{ contentKey: enclosure.key, sizeBytes: pdf.length },
      sha256: createHash('sha256').update(pdf).digest('hex'),
      namedIds: printable.namedIds,
    };
    if (!(await this.nameContent(document.id, enclosure.key))) return;
    await this.enclosed.put(enclosure);
    if (!(await this.complete(document, file))) await this.enclosed.delete(enclosure.key);
  }

  private async pdfOf(
    { kind, company, language, templateId }: RecordDocument,
    { title, texts, builtIn }: PrintableDocument,
  ): Promise<Uint8Array> {
    const terms = { company, language, day: this.clock.today() };
    const document = { title, texts, orientation: orientationOf(kind) };
    if (templateId !== null) {
      const { blocks } = await this.templates.get(templateId);
      return this.documents.print({ ...document, blocks }, terms);
    }
    if ('script' in builtIn) return renderInThread(builtIn.script, builtIn.data);
    return this.documents.print({ ...document, blocks: builtIn.blocks }, terms);
  }

  /** Returns null if the document is rendered, deleted or has failed. */
  private async startAttempt(id: string): Promise<RecordDocument | null> {
    return this.database.transaction(async () => {
      const document = await this.repository.rows.findAndLock(id);
      if (document?.status !== 'pending') return null;
      const before = document.auditImage();
      const started = document.startAttempt();
      await this.repository.save(document);
      if (!started) this.record('fail', document, before);
      return started ? document : null;
    });
  }

  /** Returns false if the document was deleted or rendered meanwhile. Deletes the bytes of an attempt that did not end. */
  private async nameContent(id: string, contentKey: string): Promise<boolean> {
    return this.database.transaction(async () => {
      const document = await this.repository.rows.findAndLock(id);
      if (document?.status !== 'pending') return false;
      if (document.contentKey !== null) await this.enclosed.delete(document.contentKey);
      document.contentKey = contentKey;
      await this.repository.save(document);
      return true;
    });
  }

  /** Makes older versions stale. Returns false if the document was deleted or rendered meanwhile, or belongs to a later attempt. */
  private async complete({ id, ...series }: RecordDocument, file: RenderedFile): Promise<boolean> {
    return this.database.transaction(async () => {
      const documents = await this.repository.lockSeries(series);
      const document = documents.find((one) => one.id === id);
      // Another attempt has named its own bytes and deleted these.
      if (document?.status !== 'pending' || document.contentKey !== file.contentKey) return false;
      const before = document.auditImage();
      const ready = documents.filter(({ status }) => status === 'ready');
      for (const older of ready.filter(({ version }) => version < document.version)) {
        await this.repository.save(Object.assign(older, { status: 'stale' }));
      }
      const hasNewer = ready.some(({ version }) => version > document.version);
      document.complete(file, { hasNewer, now: this.clock.now() });
      await this.repository.save(document);
      this.record('render', document, before);
      const { kind, subjectType, subjectId, language, version } = document;
      this.outbox.add({
        channel: 'documents.records',
        event: 'document.rendered',
        data: { documentId: id, kind, subjectType, subjectId, language, version },
      });
      return true;
    });
  }

  private async postponeAttempt(id: string, failure: string): Promise<void> {
    await this.database.transaction(async () => {
      const document = await this.repository.rows.findAndLock(id);
      if (document?.status !== 'pending') return;
      document.postponeAttempt(failure);
      await this.repository.save(document);
    });
  }

  /** Returns whether another attempt is left. */
  private async failAttempt(id: string, failure: string, isFinal: boolean): Promise<boolean> {
    return this.database.transaction(async () => {
      const document = await this.repository.rows.findAndLock(id);
      if (document?.status !== 'pending') return false;
      const before = document.auditImage();
      const isLast = document.failAttempt(failure, isFinal);
      await this.repository.save(document);
      if (isLast) this.record('fail', document, before);
      return !isLast;
    });
  }

  private record(verb: 'render' | 'fail', document: RecordDocument, before: object): void {
    this.ledger.record(`documents.document.${verb}`, {
      subjectType: 'record_document',
      subjectId: document.id,
      before,
      after: document.auditImage(),
      reason: verb === 'fail' ? document.failure : null,
    });
  }
}

function documentIdOf(payload: unknown): string {
  const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'documentId') : undefined;
  if (typeof id !== 'string') throw new Error('The payload has no documentId');
  return id;
}
