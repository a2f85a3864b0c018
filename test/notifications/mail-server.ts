import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { closeAfterTests } from '../setup/running.js';

export interface MailServer {
  url: string;
  /** Every mail whose text was received completely, accepted or not. */
  mails: (Email & { envelopeSender: string; recipient: string; bytes: Buffer; isEncrypted: boolean })[];
  /** The action between the text and the response. */
  meanwhile: () => Promise<unknown>;
}

const WITHOUT_TLS: SMTPServerOptions = { disabledCommands: ['AUTH', 'STARTTLS'] };
const linkIn = (text = '') => /https?:\/\/\S+/.exec(text)?.[0] ?? '';

/**
 * A real mail server on loopback. The recipient determines its response: `busy` is rejected temporarily (451) the first time,
 * `refused` permanently (550), `quoting` too (554), with the link of the mail in the error; for `broken` the connection breaks after the text.
 * The addresses `unknown` (550 5.1.1), `relayed` (550 5.7.1) and `converted` (550 5.6.3) are rejected before the text.
 */
export async function startMailServer(options: SMTPServerOptions = WITHOUT_TLS): Promise<MailServer> {
  const made: MailServer = { url: '', mails: [], meanwhile: async () => undefined };
  const { mails } = made;
  const sockets = new Map<number | undefined, Socket>();
  const server = new SMTPServer({
    ...options,
    onData: (stream, { envelope, remotePort, secure }, done) => {
      const taken = buffer(stream).then(async (bytes) => {
        const recipient = envelope.rcptTo[0]?.address ?? '';
        const isFirst = !mails.some((mail) => mail.recipient === recipient);
        const envelopeSender = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ ...(await PostalMime.parse(bytes)), envelopeSender, recipient, bytes, isEncrypted: secure });
        await made.meanwhile();
        if (recipient.startsWith('broken')) sockets.get(remotePort)?.destroy();
        if (recipient.startsWith('broken') || recipient.startsWith('silent')) return;
        if (recipient.startsWith('refused')) done(Object.assign(new Error('No such box'), { responseCode: 550 }));
        else if (recipient.startsWith('quoting'))
          done(Object.assign(new Error(`Suspicious link ${linkIn(mails.at(-1)?.text)}`), { responseCode: 554 }));
        else if (recipient.startsWith('busy') && isFirst)
          done(Object.assign(new Error('Later'), { responseCode: 451 }));
        else done();
      });
      // A client that is killed in the middle of its text has sent nothing.
      taken.catch(() => undefined);
    },
    onRcptTo: ({ address: recipient }, _, done) => {
      const answer = recipient.startsWith('unknown')
        ? '5.1.1 No such user'
        : recipient.startsWith('relayed')
          ? '5.7.1 Relaying is not permitted'
          : recipient.startsWith('converted')
            ? '5.6.3 Conversion is required'
            : null;
      done(answer === null ? null : Object.assign(new Error(answer), { responseCode: 550 }));
    },
  });
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => sockets.set(socket.remotePort, socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterTests(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  made.url =
    options === WITHOUT_TLS
      ? `smtp://127.0.0.1:${port}?ignoreTLS=true`
      : `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}`;
  return made;
}
