/** Provides the links in mails about offers of the waiting list. The desk implements it with `@Listens(OfferLinks, ...)`. */
export abstract class OfferLinks {
  /** Returns the link to the page of the offer that this message announces; null if that offer has ended, and the mail is not sent. */
  abstract find(messageId: string): Promise<string | null>;
}
