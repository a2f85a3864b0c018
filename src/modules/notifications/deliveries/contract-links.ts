/** Provides the links in mails about contracts. The legal module implements it with `@Listens(ContractLinks, ...)`. */
export abstract class ContractLinks {
  /**
   * Creates a new link to the page of this contract; null if the link would not work, and the mail is then not sent. Called in
   * the transaction that starts an attempt to send a mail; the link is part of that mail and is not stored.
   */
  abstract create(contractReference: string): Promise<string | null>;
}
