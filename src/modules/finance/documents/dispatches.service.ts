import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Listeners, Listens } from '../../../platform/discovery/listeners.js';
import { AppError, conflict, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { FileStore } from '../../../platform/files/file-store.js';
import { VoucherDocumentsService } from '../../bookings/index.js';
import {
  BookingFactsSource,
  type DispatchChoices,
  DocumentFiles,
  DocumentMailsService,
  type MessageFile,
  type NotificationMessageResponse,
} from '../../notifications/index.js';
import { type DocumentLanguage, OrganizationService } from '../../organization/index.js';
import type { DispatchBookingDocuments } from './dispatch.dto.js';
import type { InvoiceRendition } from './invoice-rendition.entity.js';
import { RenditionJobs } from './renditions.jobs.js';
import { RenditionsRepository } from './renditions.repository.js';
import { fileNameOf, RenditionsService } from './renditions.service.js';

const MOST_INVOICES = 19;
/** The built-in texts exist in English only; the documents have the language of the customer. */
const TEXT_LANGUAGE: DocumentLanguage = 'en';

/** A document with the version that a mail carries. */
interface VersionedFile {
  file: MessageFile;
  version: string;
}

/** Sends invoices and documents of bookings by mail, and reads the invoices that mails carry. */
@Injectable()
@Listens(DocumentFiles, 20)
export class DispatchesService implements DocumentFiles {
  readonly source = 'invoice';

  constructor(
    private readonly repository: RenditionsRepository,
    private readonly renditions: RenditionsService,
    private readonly renditionJobs: RenditionJobs,
    private readonly organization: OrganizationService,
    private readonly vouchers: VoucherDocumentsService,
    private readonly mails: DocumentMailsService,
    private readonly files: FileStore,
    private readonly listeners: Listeners,
  ) {}

  async dispatchInvoice(invoiceId: string, choices: DispatchChoices): Promise<NotificationMessageResponse> {
    assertScope('finance:receivables');
    const { bookingId, number } = await this.repository.dispatchableOf(invoiceId);
    if (number === null) throw conflict('invoice_not_issued', 'Only issued invoices can be sent');
    const { file, version } = await this.invoiceFile(invoiceId, await this.languageOf(bookingId));
    const text = {
      language: TEXT_LANGUAGE,
      subject: `Invoice ${number}`,
      sentence: `please find attached the invoice ${number}.`,
    };
    return this.mails.send({ bookingId, documentKey: version, files: [file], ...text }, choices);
  }

  async dispatchBooking(
    bookingId: string,
    { kinds, ...choices }: DispatchBookingDocuments,
  ): Promise<NotificationMessageResponse> {
    assertScope('bookings:read');
    if (kinds.includes('invoices')) assertScope('finance:receivables');
    const language = await this.languageOf(bookingId);
    const found: VersionedFile[] = kinds.includes('vouchers') ? await this.voucherFiles(bookingId) : [];
    const invoices = kinds.includes('invoices')
      ? await this.repository.invoicesToDispatch(bookingId, MOST_INVOICES + 1)
      : [];
    if (invoices.length > MOST_INVOICES) {
      const details = { field: 'kinds', limit: MOST_INVOICES };
      throw unprocessable('too_many_documents', `A mail carries at most ${MOST_INVOICES} invoices`, details);
    }
    for (const id of invoices) found.push(await this.invoiceFile(id, language));
    if (found.length === 0) throw conflict('nothing_to_dispatch', 'The booking has no such document', { kinds });
    const versions = found.map(({ version }) => version).join(' ');
    const documentKey = `${bookingId}:${createHash('sha256').update(versions).digest('hex')}`;
    const { bookingNumber } = await this.factsOf(bookingId);
    const text = {
      language: TEXT_LANGUAGE,
      subject: `Documents of your booking ${bookingNumber}`,
      sentence: `please find attached the documents of your booking ${bookingNumber}.`,
    };
    return this.mails.send({ bookingId, documentKey, files: found.map(({ file }) => file), ...text }, choices);
  }

  /** Returns the PDF of a rendition that a mail carries; null if its file was deleted. */
  async read(renditionId: string): Promise<Buffer | null> {
    const { storageKey } = await this.repository.getDownloadable(renditionId);
    const file = storageKey === null ? null : await this.files.open(storageKey);
    return file && buffer(file.stream);
  }

  private async voucherFiles(bookingId: string): Promise<VersionedFile[]> {
    const printed = await this.vouchers.findPrinted(bookingId);
    if (!printed) return [];
    const { bytes, name, version } = printed;
    const file = { fileName: name, contentType: 'application/pdf', sizeBytes: bytes.length };
    return [{ file: { source: 'vouchers', id: bookingId, ...file }, version: `vouchers:${version}` }];
  }

  /** Renders the invoice unless the newest PDF in this language shows its present state. */
  private async invoiceFile(invoiceId: string, language: DocumentLanguage): Promise<VersionedFile> {
    const rendition =
      (await this.repository.findCurrent(invoiceId, language)) ?? (await this.render(invoiceId, language));
    const { id, sizeBytes } = rendition;
    const { number } = await this.repository.getDownloadable(id);
    const file = { fileName: `${fileNameOf(number)}.pdf`, contentType: 'application/pdf', sizeBytes: sizeBytes ?? 0 };
    return { file: { source: 'invoice', id, ...file }, version: `invoice:${id}` };
  }

  /** The job of the request may render it at the same time; one of both completes it. */
  private async render(invoiceId: string, language: DocumentLanguage): Promise<InvoiceRendition> {
    const { id: renditionId } = await this.renditions.request(invoiceId, { format: 'pdf', language });
    await this.renditionJobs.render({ renditionId }).catch((error: unknown) => {
      if (error instanceof AppError) throw error;
    });
    const rendition = await this.repository.findCurrent(invoiceId, language);
    if (!rendition) throw conflict('rendition_failed', 'Rendering failed; request a new rendition');
    return rendition;
  }

  private async languageOf(bookingId: string): Promise<DocumentLanguage> {
    return this.organization.languageFor((await this.factsOf(bookingId)).language);
  }

  private async factsOf(bookingId: string) {
    const facts = await this.listeners.one(BookingFactsSource).read(bookingId);
    if (!facts) throw notFound();
    return facts;
  }
}
