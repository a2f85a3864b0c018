import { Flag, Optional } from '../../../platform/http/fields.js';
import { EmailAddress } from '../../../platform/http/trade-fields.js';

/** How a reminder is retried. */
export class RetryRun {
  /**
   * Must be `true` if the outcome of the last attempt is unknown, because the mail may have arrived.
   * @example true
   */
  @Optional()
  @Flag()
  confirm?: boolean;
}

/** How a message is sent again. */
export class ResendMessage extends RetryRun {
  /**
   * An address of the booking or of its customer; by default the address of the booking, otherwise that of the message.
   * @example "clara@example.com"
   */
  @Optional()
  @EmailAddress()
  recipientEmail?: string;
}
