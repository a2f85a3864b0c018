import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { type Mail, MailSender, type Outcome } from './mail-sender.js';

/** Far below the lease of a message, so that an attempt ends before it counts as abandoned. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };
const HEADERS = { primary: 'to', cc: 'cc', bcc: 'bcc' } as const;

/** Sends by SMTP, one connection per mail: a pool would repeat a mail that a broken connection had already transmitted. */
export class SmtpSender extends MailSender {
  private readonly composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  private readonly transport;

  constructor(
    url: string,
    private readonly from: string,
  ) {
    super();
    this.transport = createTransport({ url, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true });
  }

  async send(mail: Mail): Promise<Outcome> {
    let transmitted = false;
    try {
      const { envelope, message } = await this.compose(mail);
      const bytes = Readable.from(
        (function* () {
          transmitted = true;
          yield message;
        })(),
      );
      await this.transport.sendMail({ envelope, raw: bytes });
      return { kind: 'sent' };
    } catch (thrown) {
      return outcomeOf(thrown, transmitted);
    }
  }

  private async compose({ id, recipient, recipientKind, subject, text }: Mail) {
    const host = /^@([^\s<>]+)/.exec(this.from.slice(this.from.lastIndexOf('@')))?.[1] ?? 'localhost';
    const { envelope, message } = await this.composer.sendMail({
      from: this.from,
      [HEADERS[recipientKind]]: { name: '', address: recipient },
      messageId: `<${id}@${host}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      subject,
      text,
    });
    return { envelope, message };
  }
}

function outcomeOf(thrown: unknown, transmitted: boolean): Outcome {
  const responseCode = memberOf(thrown, 'responseCode');
  const message = memberOf(thrown, 'message');
  const error = typeof message === 'string' && message !== '' ? message.slice(0, 500) : 'The mail could not be sent';
  if (typeof responseCode === 'number') {
    // An authentication error is not an error of the mail: the credentials can be corrected.
    return {
      kind: responseCode >= 500 && memberOf(thrown, 'code') !== 'EAUTH' ? 'rejected' : 'temporary',
      error,
    };
  }
  return { kind: transmitted ? 'unknown' : 'temporary', error };
}

function memberOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
