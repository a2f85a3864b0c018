import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { type Dkim, domainOf, type MailTls } from '../../../platform/config/mail-transport.js';
import { type Mail, MailSender, type Outcome } from './mail-sender.js';

/** Much shorter than the lease of a message, so that an attempt ends before it counts as abandoned. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };
const HEADERS = { primary: 'to', cc: 'cc', bcc: 'bcc' } as const;

const SIGNATURE = 'DKIM-Signature:';
/**
 * The fields of RFC 6376, 5.4.1, that mails have, and List-Unsubscribe-Post, which the library does not sign: RFC 8058 requires both
 * fields of an unsubscription under the signature.
 */
const SIGNED_FIELDS =
  'From:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:Auto-Submitted:' +
  'List-Unsubscribe:List-Unsubscribe-Post';
/**
 * Errors of the mail itself. All others, even a permanent error in response to STARTTLS or AUTH, concern the configuration and
 * can be corrected.
 */
const REJECTIONS = new Set<unknown>(['EENVELOPE', 'EMESSAGE']);

/**
 * RFC 3463, 3.7 and 3.8: the server rejects the content, the sending host or a relay that is not permitted. Such an answer to RCPT
 * says nothing of the address.
 */
const NOT_ABOUT_ADDRESS = /^5\d\d[ -]5\.[67]\.\d/;

interface MailServer {
  url: string;
  tls: MailTls;
  dkim: Dkim | null;
}

/** Sends by SMTP, one connection per mail: a pool would repeat a mail that a broken connection had already transmitted. */
export class SmtpSender extends MailSender {
  private readonly composer;
  private readonly transport;
  private readonly signs: boolean;

  constructor(
    { url, tls: { required, ca, client }, dkim }: MailServer,
    private readonly from: string,
  ) {
    super();
    this.signs = dkim !== null;
    this.composer = createTransport({
      streamTransport: true,
      buffer: true,
      newline: 'windows',
      ...(dkim && {
        dkim: {
          domainName: dkim.domain,
          keySelector: dkim.selector,
          privateKey: dkim.privateKey,
          headerFieldNames: SIGNED_FIELDS,
        },
      }),
    });
    this.transport = createTransport({
      url,
      ...TIMEOUTS,
      ...(required && { requireTLS: true }),
      tls: { ...(ca !== null && { ca }), ...client },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
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

  private async compose({
    id,
    recipient,
    envelopeSender,
    unsubscriptionUrl,
    recipientKind,
    subject,
    text,
    html,
    files,
  }: Mail) {
    const { envelope, message } = await this.composer.sendMail({
      from: this.from,
      [HEADERS[recipientKind]]: { name: '', address: recipient },
      messageId: `<${id}@${domainOf(this.from)}>`,
      headers: { 'Auto-Submitted': 'auto-generated', ...unsubscriptionHeaders(unsubscriptionUrl) },
      subject,
      text,
      ...(html !== null && { html }),
      attachments: files.map(({ fileName, contentType, content }) => {
        return { filename: fileName, contentType, content, contentDisposition: 'attachment' as const };
      }),
    });
    // If nodemailer cannot sign a mail, it sends the mail unsigned.
    if (this.signs && !isSigned(message)) throw new Error('The mail could not be signed');
    return { envelope: { ...envelope, ...(envelopeSender !== null && { from: envelopeSender }) }, message };
  }
}

/** RFC 8058, 3.1. */
function unsubscriptionHeaders(url: string | null): Record<string, string> {
  if (url === null) return {};
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

function isSigned(message: unknown): boolean {
  return Buffer.isBuffer(message) && message.subarray(0, SIGNATURE.length).toString('latin1') === SIGNATURE;
}

function outcomeOf(thrown: unknown, transmitted: boolean): Outcome {
  const responseCode = memberOf(thrown, 'responseCode');
  const message = memberOf(thrown, 'message');
  const error = typeof message === 'string' && message !== '' ? message.slice(0, 500) : 'The mail could not be sent';
  if (typeof responseCode === 'number') {
    if (responseCode < 500 || !REJECTIONS.has(memberOf(thrown, 'code'))) return { kind: 'temporary', error };
    return { kind: isAboutAddress(thrown) ? 'bounced' : 'rejected', error };
  }
  return { kind: transmitted ? 'unknown' : 'temporary', error };
}

function isAboutAddress(thrown: unknown): boolean {
  return memberOf(thrown, 'command') === 'RCPT TO' && !NOT_ABOUT_ADDRESS.test(String(memberOf(thrown, 'response')));
}

function memberOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
