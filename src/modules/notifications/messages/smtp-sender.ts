import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { type Mail, MailSender, type Outcome } from './mail-sender.js';

/** Far below a message's lease, so that an attempt ends before anybody gives it up. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };
const HEADERS = { primary: 'to', cc: 'cc', bcc: 'bcc' } as const;

/** Sends by SMTP, one connection for each mail: a pool would send again what a broken connection had taken. */
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
    let isHandedOver = false;
    try {
      const { envelope, message } = await this.compose(mail);
      const bytes = Readable.from(
        (function* () {
          isHandedOver = true;
          yield message;
        })(),
      );
      await this.transport.sendMail({ envelope, raw: bytes });
      return { kind: 'sent' };
    } catch (error) {
      return outcomeOf(error, isHandedOver);
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

function outcomeOf(error: unknown, isHandedOver: boolean): Outcome {
  const responseCode = memberOf(error, 'responseCode');
  const message = memberOf(error, 'message');
  const words = typeof message === 'string' && message !== '' ? message.slice(0, 500) : 'The mail could not be sent';
  if (typeof responseCode === 'number') {
    // What is wrong with our credentials is not wrong with the mail: somebody may mend them.
    return {
      kind: responseCode >= 500 && memberOf(error, 'code') !== 'EAUTH' ? 'rejected' : 'temporary',
      error: words,
    };
  }
  return { kind: isHandedOver ? 'unknown' : 'temporary', error: words };
}

function memberOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
