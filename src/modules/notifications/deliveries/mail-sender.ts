import type { RecipientKind } from '../messages/notification-message.entity.js';

export interface Mail {
  /** The same for every attempt; also part of the Message-ID. */
  id: string;
  recipient: string;
  recipientKind: RecipientKind;
  subject: string;
  text: string;
}

/**
 * The outcome of an attempt. Temporary: the server certainly did not accept the mail; it may be sent again. Unknown: the
 * connection broke after the text was transmitted, so the server may have accepted it; it must never be sent again.
 */
export type Outcome = { kind: 'sent' | 'recorded' } | { kind: 'temporary' | 'rejected' | 'unknown'; error: string };

/** Sends mails. Never throws: every error is an outcome. */
export abstract class MailSender {
  abstract send(mail: Mail): Promise<Outcome>;
}

/** Without a mail server: messages are stored, can be read, and are not sent. */
export class RecordingSender extends MailSender {
  async send(): Promise<Outcome> {
    return { kind: 'recorded' };
  }
}
