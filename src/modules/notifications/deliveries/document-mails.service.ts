import { Injectable } from '@nestjs/common';
import { RateLimits } from '../../../platform/admission/rate-limits.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { type DocumentLanguage, OrganizationService } from '../../organization/index.js';
import { assertMailable, type MessageFile } from '../messages/message-files.js';
import { MessagesService } from '../messages/messages.service.js';
import { type NotificationMessageResponse, toMessage } from '../messages/notification-message.dto.js';
import { onRecord, RecordAddresses } from '../messages/record-addresses.js';
import type { DispatchChoices } from './dispatch.dto.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { BookingFactsSource } from '../targets/booking-facts.js';
import { SEND_MESSAGES } from './direct-mails.service.js';
import { greetingOf } from '../templates/greetings.js';

/** Documents that staff send to the customer of a booking. */
export interface DocumentMail {
  bookingId: string;
  /** Names the version of the documents. */
  documentKey: string;
  files: readonly MessageFile[];
  /** Language of the built-in text. */
  language: DocumentLanguage;
  /** Subject line and sentence of the built-in text, without a salutation. */
  subject: string;
  sentence: string;
}

/** Sends documents of bookings as files of a mail, each version once to a recipient unless staff repeat it. */
@Injectable()
export class DocumentMailsService {
  constructor(
    private readonly database: Database,
    private readonly messages: MessagesService,
    private readonly addresses: RecordAddresses,
    private readonly suppressions: SuppressionsService,
    private readonly listeners: Listeners,
    private readonly rateLimits: RateLimits,
    private readonly jobs: Jobs,
    private readonly organization: OrganizationService,
  ) {}

  /**
   * Queues the mail to an address of the booking or its customer. Throws 409 `no_recipient`, `recipient_suppressed` or
   * `already_dispatched`; 422 `recipient_not_on_record` or `files_too_large`.
   */
  async send(mail: DocumentMail, choices: DispatchChoices): Promise<NotificationMessageResponse> {
    const { bookingId, documentKey, files } = mail;
    assertMailable(files, 'kinds');
    return this.database.transaction(async () => {
      const facts = await this.listeners.one(BookingFactsSource).read(bookingId);
      if (!facts) throw notFound();
      const known = await this.addresses.listOf({ bookingId, customerId: null });
      const recipient = choices.recipientEmail === undefined ? known[0] : onRecord(choices.recipientEmail, known);
      if (recipient === undefined) throw conflict('no_recipient', 'The booking has no e-mail address');
      await this.suppressions.assertReachable(recipient, 'all');
      const messageId = await this.messages.findDocumentMessage(documentKey, recipient);
      if (messageId !== null && choices.resend !== true) {
        throw conflict('already_dispatched', 'The recipient has already been sent this version', { messageId });
      }
      this.rateLimits.takeMail({ subject: bookingId, recipient });
      const company = await this.organization.displayName();
      const text = [greetingOf(facts.customerName, mail.language), mail.sentence, company].join('\n\n');
      const id = await this.messages.queue({
        ...{ kind: 'document', bookingId, documentKey, files, recipient },
        ...{ subject: choices.subject ?? mail.subject, text: choices.message ?? text },
        ...(messageId === null ? {} : { resendOf: messageId }),
        createdBy: currentActor().principal,
      });
      await this.jobs.add(SEND_MESSAGES, {}, { key: `${SEND_MESSAGES}:${id}` });
      return toMessage(await this.messages.recordCreation(id));
    });
  }
}
