import type { Logger } from 'pino';
import type { MailFile } from '../messages/message-files.js';
import type { RecipientKind } from '../messages/notification-message.entity.js';

export interface Mail {
  /** Stays the same for every attempt, and is part of the Message-ID. */
  id: string;
  recipient: string;
  /** The address to which mail servers return the mail; null for the one of `MAIL_FROM`. */
  envelopeSender: string | null;
  recipientKind: RecipientKind;
  /** Where the recipient ends marketing mails with one request (RFC 8058); null for other mails. */
  unsubscriptionUrl: string | null;
  subject: string;
  text: string;
  /** The same text as HTML; null for a mail of plain text only. */
  html: string | null;
  /** The one-time link in the text; null if there is none. */
  link: string | null;
  files: readonly MailFile[];
}

/**
 * The outcome of an attempt. Bounced: the server rejected the address. Rejected: it rejected the sender or the content. Temporary:
 * the server certainly did not accept the mail; it may be sent again. Unknown: the connection broke after the text was transmitted,
 * so the server may have accepted it; it must never be sent again. Withdrawn: the reason for the mail no longer exists, so it was
 * not sent. Incomplete: a file of the mail no longer exists, so it was not sent.
 */
export type Outcome =
  | { kind: 'sent' | 'recorded' | 'withdrawn' | 'incomplete' }
  | { kind: 'temporary' | 'rejected' | 'bounced' | 'unknown'; error: string };

/** Sends mails. Never throws: every error is an outcome. */
export abstract class MailSender {
  abstract send(mail: Mail): Promise<Outcome>;
}

/**
 * Without a mail server, messages are stored and not sent. In development the log shows one-time links: no stored message
 * contains them, so a developer could not follow them otherwise.
 */
export class RecordingSender extends MailSender {
  /** In production `log` is null. */
  constructor(private readonly log: Pick<Logger, 'info'> | null) {
    super();
  }

  async send({ id, subject, link }: Mail): Promise<Outcome> {
    if (link !== null)
      this.log?.info({ messageId: id, link }, `no mail server is configured, so the mail was not sent: ${subject}`);
    return { kind: 'recorded' };
  }
}
