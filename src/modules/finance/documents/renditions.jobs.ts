import { buffer } from 'node:stream/consumers';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { FileStore, type StoredFile } from '../../../platform/files/file-store.js';
import { Job } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { IssuerCopy } from '../../organization/index.js';
import { type CreditNote, type Invoice, InvoicesRepository, IssuerCopiesRepository } from '../receivables/index.js';
import { documentOf, type RenderedInvoice } from './invoice-document.js';
import type { InvoiceRendition } from './invoice-rendition.entity.js';
import { render } from './rendering.js';
import { RENDER_JOB } from './renditions.service.js';
import { RenditionsRepository } from './renditions.repository.js';

type Logo = NonNullable<IssuerCopy['logo']>;

/** The members that invoices and credit notes do not have in common. */
type OfKind = Pick<
  RenderedInvoice,
  'kind' | 'dueDate' | 'isVoid' | 'paidCents' | 'creditedCents' | 'original' | 'reasonText'
>;

/** Renders invoices. Each rendition is one job of the queue, which runs it in one process at a time and retries it. */
@Injectable()
export class RenditionJobs {
  constructor(
    private readonly database: Database,
    private readonly repository: RenditionsRepository,
    private readonly invoices: InvoicesRepository,
    private readonly issuers: IssuerCopiesRepository,
    private readonly files: FileStore,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Throws to make the queue retry. Outages of the file store or database use the queue's normal retry limit. No transaction is
   * open while the document is rendered.
   */
  @Job(RENDER_JOB)
  async render(payload: unknown): Promise<void> {
    const rendition = await this.startAttempt(renditionIdOf(payload));
    if (!rendition) return;
    try {
      const { invoiceId, format, language } = rendition;
      const document = documentOf(await this.read(invoiceId), language);
      await this.complete(rendition, await this.files.put(await render(document, format)));
    } catch (error) {
      this.log.error({ err: error, renditionId: rendition.id, attempt: rendition.attempts }, 'rendering failed');
      const failure = (error instanceof Error ? error.message : String(error)) || 'unknown';
      const isUnavailable = error instanceof AppError && error.status === 503;
      if (isUnavailable) await this.postponeAttempt(rendition.id, failure);
      if (isUnavailable || (await this.failAttempt(rendition.id, failure))) throw error;
    }
  }

  /** Reads the contents fixed at issue, the amounts paid and credited now, and whether the document is void. */
  private async read(invoiceId: string): Promise<RenderedInvoice> {
    const { document, lines } = await this.invoices.get(invoiceId);
    const { number, issueDate, sellerName } = document;
    if (number === null || issueDate === null || sellerName === null) {
      throw new Error(`${document.id} is not issued`);
    }
    const issuer = await this.issuers.find(invoiceId);
    return {
      ...(document.type === 'credit_note' ? await this.ofCreditNote(document) : ofInvoice(document)),
      isOverFee: document.purpose === 'cancellation_fee',
      number,
      bookingNumber: await this.repository.bookingNumberOf(invoiceId),
      issueDate,
      currency: document.currency,
      seller: { name: sellerName, address: document.sellerAddress, taxId: document.sellerTaxId },
      issuer,
      logo: issuer?.logo ? await this.readLogo(issuer.logo) : null,
      payer: { name: document.payerName, address: document.payerAddress, taxId: document.payerTaxId },
      subtotalCents: document.subtotalCents,
      taxCents: document.taxCents,
      totalCents: document.totalCents,
      baseCurrency: document.baseCurrency,
      exchangeRate: document.exchangeRate,
      baseSubtotalCents: document.baseSubtotalCents,
      baseTaxCents: document.baseTaxCents,
      baseTotalCents: document.baseTotalCents,
      renderedOn: this.clock.today(),
      lines,
    };
  }

  private async ofCreditNote({ originalInvoiceId, reasonText }: CreditNote): Promise<OfKind> {
    const { number, issueDate } = (await this.invoices.getInvoice(originalInvoiceId)).invoice;
    const original = number === null || issueDate === null ? null : { number, issueDate };
    const nothingDue = { dueDate: null, isVoid: false, paidCents: 0, creditedCents: 0 };
    return { kind: 'credit_note', original, reasonText, ...nothingDue };
  }

  /** Renders the document without its logo if the file was deleted from the store. */
  private async readLogo({ sha256, type, widthPixels, heightPixels }: Logo): Promise<RenderedInvoice['logo']> {
    const file = await this.files.open(sha256);
    if (!file) return null;
    return {
      dataUrl: `data:${type};base64,${(await buffer(file.stream)).toString('base64')}`,
      widthPixels,
      heightPixels,
    };
  }

  /** Returns null if the rendition is rendered or has failed. */
  private async startAttempt(id: string): Promise<InvoiceRendition | null> {
    return this.database.transaction(async () => {
      const rendition = await this.repository.findAndLock(id);
      if (rendition?.status !== 'pending') return null;
      const before = rendition.auditImage();
      const started = rendition.startAttempt();
      await this.repository.save(rendition);
      if (!started) this.record('fail', rendition, before);
      return started ? rendition : null;
    });
  }

  /** The newest rendered version of a format and language is ready, and the others are stale. */
  private async complete({ id, ...series }: InvoiceRendition, file: StoredFile): Promise<void> {
    await this.database.transaction(async () => {
      const renditions = await this.repository.lockSeries(series);
      const rendition = renditions.find((one) => one.id === id);
      if (rendition?.status !== 'pending') return;
      const before = rendition.auditImage();
      const ready = renditions.filter(({ status }) => status === 'ready');
      for (const older of ready.filter(({ version }) => version < rendition.version)) {
        await this.repository.save(Object.assign(older, { status: 'stale' }));
      }
      const hasNewer = ready.some(({ version }) => version > rendition.version);
      rendition.complete(file, { hasNewer, now: this.clock.now() });
      await this.repository.save(rendition);
      this.record('render', rendition, before);
      const { invoiceId, format, language, version } = rendition;
      this.outbox.add({
        channel: 'finance.invoices',
        event: 'invoice.rendered',
        data: { invoiceId, renditionId: id, format, language, version },
      });
    });
  }

  private async postponeAttempt(id: string, failure: string): Promise<void> {
    await this.database.transaction(async () => {
      const rendition = await this.repository.findAndLock(id);
      if (rendition?.status !== 'pending') return;
      rendition.postponeAttempt(failure);
      await this.repository.save(rendition);
    });
  }

  /** Returns whether another attempt is left. */
  private async failAttempt(id: string, failure: string): Promise<boolean> {
    return this.database.transaction(async () => {
      const rendition = await this.repository.findAndLock(id);
      if (rendition?.status !== 'pending') return false;
      const before = rendition.auditImage();
      const isLast = rendition.failAttempt(failure);
      await this.repository.save(rendition);
      if (isLast) this.record('fail', rendition, before);
      return !isLast;
    });
  }

  private record(verb: 'render' | 'fail', rendition: InvoiceRendition, before: object): void {
    this.ledger.record(`finance.invoice_rendition.${verb}`, {
      subjectType: 'invoice_rendition',
      subjectId: rendition.id,
      before,
      after: rendition.auditImage(),
      reason: verb === 'fail' ? rendition.failure : null,
    });
  }
}

function renditionIdOf(payload: unknown): string {
  const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'renditionId') : undefined;
  if (typeof id !== 'string') throw new Error('The payload has no renditionId');
  return id;
}

function ofInvoice({ purpose, dueDate, status, paidCents, creditedCents }: Invoice): OfKind {
  const isVoid = status === 'void';
  return { kind: purpose ?? 'invoice', dueDate, isVoid, paidCents, creditedCents, original: null, reasonText: null };
}
