/** A mail that was not delivered, because its recipient is suppressed or has just bounced. */
export interface SuppressedMail {
  suppressionId: string;
  /** The booking that the mail concerns; null if it concerns none. */
  bookingId: string | null;
  /** The customer to whom the mail is addressed; null if it is not known. */
  customerId: string | null;
}

/** Called in the transaction of the change. The desk implements it with `@Listens(SuppressionListener, ...)`. */
export abstract class SuppressionListener {
  /** Staff have to reach the recipient in another way. Not called for mails about accounts of staff. */
  mailSuppressed?(mail: SuppressedMail): Promise<void>;
  lifted?(suppressionId: string): Promise<void>;
}
