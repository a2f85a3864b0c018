/** Provides the links in mails about contracts. The legal module implements it with `@Listens(ContractLinks, ...)`. */
export abstract class ContractLinks {
  /**
   * A new link to the page of this contract; null if it would lead nowhere, so that the mail is not sent. Called in the
   * transaction that starts an attempt to send a mail; the link is part of that mail and stored nowhere.
   */
  abstract create(contractReference: string): Promise<string | null>;
}
