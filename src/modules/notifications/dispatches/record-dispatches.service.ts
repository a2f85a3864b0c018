import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { type DocumentKind, RecordDocumentJobs, RecordDocumentsService } from '../../documents/index.js';
import { DocumentMailsService } from '../deliveries/document-mails.service.js';
import type { NotificationMessageResponse } from '../messages/notification-message.dto.js';
import type { DispatchRecordDocument } from '../deliveries/dispatch.dto.js';

/** The names of documents in the built-in text. */
const NAMES: Readonly<Record<DocumentKind, string>> = {
  confirmation: 'booking confirmation',
  itinerary: 'itinerary',
  manifest: 'manifest',
  rooming_list: 'rooming list',
};

/** Sends documents of bookings and trips by mail. */
@Injectable()
export class RecordDispatchesService {
  constructor(
    private readonly documents: RecordDocumentsService,
    private readonly jobs: RecordDocumentJobs,
    private readonly mails: DocumentMailsService,
  ) {}

  async dispatch(
    id: string,
    { allowStale = false, ...choices }: DispatchRecordDocument,
  ): Promise<NotificationMessageResponse> {
    assertScope('documents:read');
    const { document } = await this.documents.get(id);
    if (document.status === 'pending') await this.render(id);
    const { bookingId, kind, isOffer, fileName, sizeBytes } = await this.documents.getMailable(id, { allowStale });
    const name = isOffer ? 'offer' : NAMES[kind];
    const file = { source: 'document', id, fileName, contentType: 'application/pdf', sizeBytes } as const;
    const text = { subject: `Your ${name}`, sentence: `please find attached your ${name}.` };
    return this.mails.send({ bookingId, documentKey: `document:${id}`, files: [file], ...text }, choices);
  }

  /** The job of the request may render it at the same time; one of both completes it. */
  private async render(documentId: string): Promise<void> {
    await this.jobs.render({ documentId }).catch((error: unknown) => {
      if (error instanceof AppError) throw error;
    });
  }
}
