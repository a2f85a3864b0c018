import { Id, Ignored, OneOf, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { EmailAddress } from '../../../platform/http/trade-fields.js';
import { MESSAGE_CATEGORIES, type MessageCategory } from '../templates/message-template.entity.js';
import { MAX_SUBJECT, MAX_TEXT } from '../templates/template-text.js';

/** A message that staff send to a customer. */
export class SendMessage {
  @Ignored()
  id?: undefined;

  /**
   * Booking that the message is about; requires `bookings:read`. Send either this or `customerId`.
   * @example "book_01k0dem000e000000000000001"
   */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Customer to whom the message is addressed; requires `customers:read`. */
  @Optional()
  @Id('cus')
  customerId?: string;

  /** Another address of the booking or its customer; by default that of the booking, or the primary one of the customer. */
  @Optional()
  @EmailAddress()
  recipientEmail?: string;

  /**
   * Category of `subject` and `text`, `transactional` by default; a template has its own. `marketing` needs the consent
   * `marketing_email` of the customer.
   */
  @Optional()
  @OneOf(MESSAGE_CATEGORIES)
  category?: MessageCategory;

  /** Published template without a trigger. Send either this, or `subject` and `text`. */
  @Optional()
  @Id('mtpl')
  templateId?: string;

  /**
   * Subject line; requires `text`.
   * @example "Your question about the hotel"
   */
  @Optional()
  @Text({ max: MAX_SUBJECT })
  subject?: string;

  /**
   * Plain text; requires `subject`.
   * @example "Dear Clara,\n\nthe hotel has a lift."
   */
  @Optional()
  @Text({ max: MAX_TEXT, multiline: true })
  text?: string;

  /**
   * Attachments (prefix `att`) that the mail carries: ready ones of the booking or its customer, or of the customer, with the
   * visibility `customer`, together at most 100 MiB; requires `documents:read` and the scopes to read their records. Not for
   * marketing.
   */
  @Optional()
  @Texts({ max: 10, maxLength: 100, unique: true })
  attachmentIds?: string[];
}
