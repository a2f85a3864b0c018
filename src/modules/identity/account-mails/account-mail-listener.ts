/** The person to whom a mail is addressed, and the language that this person prefers (BCP 47); null for the default. */
export interface AccountMail {
  recipient: string;
  name: string;
  language: string | null;
}

/**
 * Called in the transaction whose commit sends a mail to the owner of an account. A mail with a link gets the id of the
 * link and reads its address from `AccountLinksService.findUrl` when it is sent. Implementations declare
 * `@Listens(AccountMailListener, ...)`.
 */
export abstract class AccountMailListener {
  invited?(mail: AccountMail, linkId: string): Promise<void>;
  passwordResetRequested?(mail: AccountMail, linkId: string): Promise<void>;
  /** The user or a reset changed the password. */
  passwordChanged?(mail: AccountMail): Promise<void>;
  secondFactorActivated?(mail: AccountMail): Promise<void>;
  /** A caller who knows the password sent several wrong codes in a row. */
  secondFactorGuessed?(mail: AccountMail): Promise<void>;
  /** The service stopped sending events to an endpoint of the user. `host` is the name of the receiver. */
  webhookDisabled?(mail: AccountMail, endpoint: { host: string; reason: 'failing' | 'gone' }): Promise<void>;
  /** The user or an owner removed the second factor. */
  secondFactorRemoved?(mail: AccountMail): Promise<void>;
}
