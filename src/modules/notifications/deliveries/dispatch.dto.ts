import { Flag, Optional, Text } from '../../../platform/http/fields.js';
import { EmailAddress } from '../../../platform/http/trade-fields.js';
import { MAX_SUBJECT, MAX_TEXT } from '../templates/template-text.js';

/** The mail with which documents are sent. */
export class DispatchChoices {
  /** Another address of the booking or its customer; by default that of the booking. */
  @Optional()
  @EmailAddress()
  recipientEmail?: string;

  /**
   * Subject line; by default one that names the document.
   * @example "Your documents"
   */
  @Optional()
  @Text({ max: MAX_SUBJECT })
  subject?: string;

  /**
   * Plain text in place of the built-in one.
   * @example "Dear Clara,\n\nhere are your documents."
   */
  @Optional()
  @Text({ max: MAX_TEXT, multiline: true })
  message?: string;

  /** Sends a version again that the recipient has already been sent; false by default. */
  @Optional()
  @Flag()
  resend?: boolean;
}

/** The mail with which a document of a record is sent. */
export class DispatchRecordDocument extends DispatchChoices {
  /** Whether to accept a document whose data has changed, or that a newer version has replaced; false by default. */
  @Optional()
  @Flag()
  allowStale?: boolean;
}
