import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { RecordDocumentJobs, RecordDocumentsService } from '../../documents/index.js';
import { DocumentMailsService } from '../deliveries/document-mails.service.js';
import type { NotificationMessageResponse } from '../messages/notification-message.dto.js';
import type { DispatchRecordDocument } from '../deliveries/dispatch.dto.js';
import { RECORD_MAIL_TEXTS } from './record-mail-texts.js';

/** Sends documents of bookings and trips by mail, with a text in the language of the document. */
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
    const { language } = document;
    if (document.status === 'pending') await this.render(id);
    const { bookingId, kind, isOffer, fileName, sizeBytes } = await this.documents.getMailable(id, { allowStale });
    const mailed = kind === 'itinerary' ? kind : 'confirmation';
    const text = RECORD_MAIL_TEXTS[language][isOffer ? 'offer' : mailed];
    const file = { source: 'document', id, fileName, contentType: 'application/pdf', sizeBytes } as const;
    return this.mails.send({ bookingId, documentKey: `document:${id}`, files: [file], language, ...text }, choices);
  }

  /** The job of the request may render it at the same time; one of both completes it. */
  private async render(documentId: string): Promise<void> {
    await this.jobs.render({ documentId }).catch((error: unknown) => {
      if (error instanceof AppError) throw error;
    });
  }
}
