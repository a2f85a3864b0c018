import { Flag, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { EmailAddress } from '../../../platform/http/trade-fields.js';
import { patternOf } from '../../../platform/validation/word-pattern.js';
import { MAX_SUBJECT, MAX_TEXT } from '../../notifications/index.js';

const DOCUMENT_KINDS = ['vouchers', 'invoices'] as const;
export type DispatchedKind = (typeof DOCUMENT_KINDS)[number];

/** The mail with which a document is sent. */
export class DispatchInvoice {
  /** Another address of the booking or its customer; by default that of the booking. */
  @Optional()
  @EmailAddress()
  recipientEmail?: string;

  /**
   * Subject line; by default one that names the document.
   * @example "Your invoice"
   */
  @Optional()
  @Text({ max: MAX_SUBJECT })
  subject?: string;

  /**
   * Plain text in place of the built-in one.
   * @example "Dear Clara,

here is your invoice."
   */
  @Optional()
  @Text({ max: MAX_TEXT, multiline: true })
  message?: string;

  /** Sends a version again that the recipient has already been sent; false by default. */
  @Optional()
  @Flag()
  resend?: boolean;
}

/** The mail with which documents of a booking are sent. */
export class DispatchBookingDocuments extends DispatchInvoice {
  /**
   * Documents to send, as far as the booking has them: `vouchers` (the valid ones) and `invoices` (issued and not void).
   * @example ["invoices"]
   */
  @Texts({
    ...{ min: 1, max: 2, maxLength: 20, unique: true, pattern: patternOf(DOCUMENT_KINDS) },
    otherwise: `must be one of ${DOCUMENT_KINDS.join(', ')}`,
  })
  kinds: DispatchedKind[];
}
