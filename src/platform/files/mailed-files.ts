/** Opens links of mails to files that are too large to attach. The module of the mails implements it with `@Listens(MailedFiles, ...)`. */
export abstract class MailedFiles {
  /** Returns the file; null if the token is not valid, the link has expired, or the file was deleted. */
  abstract open(token: string): Promise<{ fileName: string; content: Buffer } | null>;
}
