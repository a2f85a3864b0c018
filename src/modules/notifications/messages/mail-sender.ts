import type { RecipientKind } from '../rules/channel-config.js';

/** What is to leave, once. */
export interface Mail {
  /** The same for every attempt; it is also in the mail's Message-ID. */
  id: string;
  recipient: string;
  recipientKind: RecipientKind;
  subject: string;
  text: string;
}

/**
 * What became of an attempt. Temporary: it was surely not taken, and may be tried again. Unknown: the connection broke after
 * the text had been handed over, so that it may have been taken, and must never be sent again.
 */
export type Outcome = { kind: 'sent' | 'recorded' } | { kind: 'temporary' | 'rejected' | 'unknown'; error: string };

/** By which mails leave. It throws nothing: whatever happens is an outcome. */
export abstract class MailSender {
  abstract send(mail: Mail): Promise<Outcome>;
}

/** Where there is no mail server: what would have been sent can be read, and nothing leaves. */
export class RecordingSender extends MailSender {
  async send(): Promise<Outcome> {
    return { kind: 'recorded' };
  }
}
