import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import type { Mail, Outcome } from '../../src/modules/notifications/deliveries/mail-sender.js';
import { SmtpSender } from '../../src/modules/notifications/deliveries/smtp-sender.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp } from '../setup/app.js';
import { TestAuthority } from '../setup/certificates.js';
import { closeAfterTests } from '../setup/running.js';
import { isSigned } from './dkim.js';
import { dueRun } from './due-run.js';
import { startMailServer } from './mail-server.js';

const FROM = 'Office <office@lake-tours.test>';
const authority = new TestAuthority();
const identity = authority.issue('127.0.0.1', 'localhost');
const client = authority.issue('travel-client');
const dkim = generateKeyPairSync('rsa', { modulusLength: 2048 });

const folder = mkdtempSync(join(tmpdir(), 'travel-mail-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const CA = { SMTP_CA_FILE: fileOf('ca.pem', authority.cert) };
const CLIENT = { SMTP_CERT_FILE: fileOf('client.pem', client.cert), SMTP_KEY_FILE: fileOf('client.key', client.key) };
const DKIM = {
  DKIM_SELECTOR: 'travel2026',
  DKIM_KEY_FILE: fileOf('dkim.key', dkim.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
};

/** The sender that these settings give. */
function senderOf(variables: Record<string, string>): SmtpSender {
  const { smtpUrl, mailTls, dkim: signature, mailFrom } = readEnv({ ...process.env, MAIL_FROM: FROM, ...variables });
  return new SmtpSender({ url: smtpUrl ?? '', tls: mailTls, dkim: signature }, mailFrom);
}

async function send(
  variables: Record<string, string>,
  text = 'The balance is due.',
): Promise<Outcome & { to: string }> {
  const to = `clara-${randomUUID()}@example.com`;
  const mail: Mail = {
    id: randomUUID(),
    recipient: to,
    envelopeSender: null,
    unsubscriptionUrl: 'https://office.lake-tours.test/unsubscriptions/1',
    recipientKind: 'primary',
    subject: 'Due',
    text,
    html: null,
    link: null,
    files: [],
  };
  return { ...(await senderOf(variables).send(mail)), to };
}

/** A server with the certificate that accepts one account, by TLS only. */
const withAccount = (options: SMTPServerOptions): SMTPServerOptions => ({
  ...identity,
  onAuth: ({ username, password }, { secure }, done) =>
    username === 'travel' && password === 'pass' && secure
      ? done(null, { user: username })
      : done(new Error('Invalid account')),
  ...options,
});
const withPassword = (url: string) => url.replace('//', '//travel:pass@');

describe('a mail server with TLS', () => {
  it.each([
    ['implicit TLS (smtps://)', { secure: true }, {}],
    ['STARTTLS that is required', {}, { SMTP_TLS: 'required' }],
    ['STARTTLS that is opportunistic', {}, {}],
  ])('a mail is sent by %s, with the password inside TLS', async (_, options, variables) => {
    const server = await startMailServer(withAccount(options));
    const { kind, to } = await send({ SMTP_URL: withPassword(server.url), ...CA, ...variables });
    expect(kind).toBe('sent');
    expect(server.mails).toMatchObject([{ recipient: to, isEncrypted: true, subject: 'Due' }]);
  });

  it.each([
    ['of an authority that SMTP_CA_FILE does not name', { ...identity }, {}, /certificate/],
    ['for another host', { ...authority.issue('mail.other.test') }, CA, /does not match/],
  ])(
    'a mail is not sent to a server with a certificate %s; it is sent again later',
    async (...[, options, ca, error]) => {
      for (const secure of [true, false]) {
        const server = await startMailServer(withAccount({ secure, ...options }));
        const outcome = await send({ SMTP_URL: withPassword(server.url), SMTP_TLS: 'required', ...ca });
        expect(outcome).toMatchObject({ kind: 'temporary', error: expect.stringMatching(error) });
        expect(server.mails).toEqual([]);
      }
    },
  );

  it('a mail is not sent without TLS if STARTTLS is required, neither if it is not offered nor if it fails', async () => {
    const without = await startMailServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      allowInsecureAuth: true,
    });
    const failing = await serverThat((command) =>
      command === 'EHLO' ? '250-mail.test\r\n250 STARTTLS' : '502 No TLS',
    );
    for (const url of [without.url, failing.url]) {
      const outcome = await send({ SMTP_URL: withPassword(url), SMTP_TLS: 'required', ...CA });
      expect(outcome.kind).toBe('temporary');
    }
    expect(without.mails).toEqual([]);
    expect(failing.commands).not.toContain('AUTH');
    expect(failing.commands).not.toContain('MAIL');
  });

  it('a mail is sent without TLS if STARTTLS is opportunistic and not offered', async () => {
    const server = await startMailServer({ disabledCommands: ['AUTH', 'STARTTLS'] });
    expect(await send({ SMTP_URL: server.url })).toMatchObject({ kind: 'sent' });
    expect(server.mails).toMatchObject([{ isEncrypted: false }]);
  });

  it.each([
    ['implicit TLS', { secure: true }],
    ['STARTTLS', { secure: false }],
  ])(
    'a server that asks for a certificate of the client gets it by %s, and rejects a client without',
    async (_, by) => {
      const options = {
        ...identity,
        ca: authority.cert,
        requestCert: true,
        rejectUnauthorized: true,
        authOptional: true,
        ...by,
      };
      const server = await startMailServer(options);
      const variables = { SMTP_URL: server.url, SMTP_TLS: 'required', ...CA };
      expect(await send({ ...variables, ...CLIENT })).toMatchObject({ kind: 'sent' });
      expect(await send(variables)).toMatchObject({ kind: 'temporary' });
      expect(server.mails).toHaveLength(1);
    },
  );
});

describe('DKIM', () => {
  const publicKeyOf = (selector: string, domain: string) =>
    selector === 'travel2026' && domain === 'lake-tours.test' ? dkim.publicKey : null;
  let url: string;
  let mails: { recipient: string; bytes: Buffer }[];
  beforeAll(async () => {
    ({ url, mails } = await startMailServer());
  });

  it.each([
    ['a short text', 'The balance is due.'],
    ['a text with other letters', 'Grüße aus Zürich, 東京 — résumé\n'],
    ['lines that start with a dot, end with spaces or are empty', '.\n..\n.hidden\n\n  spaces   \n\n\n\n'],
    ['lines of more than 998 characters', `${'long '.repeat(1_000)}\n${'x'.repeat(3_000)}`],
  ])('the signature of a mail with %s is valid for the receiver', async (_, text) => {
    const { kind, to } = await send({ SMTP_URL: url, ...DKIM }, text);
    const bytes = mails.find(({ recipient }) => recipient === to)?.bytes ?? Buffer.alloc(0);
    expect([kind, isSigned(bytes, publicKeyOf)]).toEqual(['sent', true]);
    expect(isSigned(bytes, () => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)).toBe(false);
  });

  it('the signature is not valid for a mail with another text, subject, sender or unsubscription', async () => {
    const { to } = await send({ SMTP_URL: url, ...DKIM });
    const text = mails.find(({ recipient }) => recipient === to)?.bytes.toString('latin1') ?? '';
    for (const [part, other] of [
      ['balance is', 'balance was'],
      ['Subject: Due', 'Subject: Won'],
      ['Office', 'Other'],
      ['unsubscriptions/1', 'unsubscriptions/2'],
      ['=One-Click', '=Two-Click'],
    ]) {
      const changed = text.replace(part ?? '', other ?? '');
      expect(changed).not.toBe(text);
      expect(isSigned(Buffer.from(changed, 'latin1'), publicKeyOf)).toBe(false);
    }
  });

  it('the domain of the signature is DKIM_DOMAIN if it is given', async () => {
    const { to } = await send({ SMTP_URL: url, ...DKIM, DKIM_DOMAIN: 'group.test' });
    const bytes = mails.find(({ recipient }) => recipient === to)?.bytes ?? Buffer.alloc(0);
    expect(isSigned(bytes, (_, domain) => (domain === 'group.test' ? dkim.publicKey : null))).toBe(true);
  });

  it('mails are not signed without DKIM_SELECTOR', async () => {
    const { to } = await send({ SMTP_URL: url });
    expect(mails.find(({ recipient }) => recipient === to)?.bytes.toString()).not.toContain('DKIM-Signature');
  });
});

it('the service sends a reminder by TLS and signs it', async () => {
  const server = await startMailServer(withAccount({ secure: true }));
  const env = {
    JOBS: 'false',
    LOG_LEVEL: 'trace',
    MAIL_FROM: FROM,
    SMTP_URL: withPassword(server.url),
    ...CA,
    ...DKIM,
  };
  const app = await startApp({ env });
  const email = `clara-${randomUUID()}@example.com`;
  const { run } = await dueRun(app, { email });
  await asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
  const [mail] = server.mails.filter(({ recipient }) => recipient === email);
  expect(await run()).toMatchObject({ status: 'sent' });
  expect(mail?.isEncrypted).toBe(true);
  expect(isSigned(mail?.bytes ?? Buffer.alloc(0), () => dkim.publicKey)).toBe(true);
  expect(app.logs.join()).not.toMatch(/travel:pass|PRIVATE KEY/);
});

/** Starts a server that responds to each command with `answer`, and records the commands. */
async function serverThat(answer: (command: string) => string): Promise<{ url: string; commands: string[] }> {
  const commands: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 mail.test\r\n');
    socket.on('data', (bytes) => {
      const command = bytes.toString('latin1').slice(0, 4);
      commands.push(command);
      socket.write(`${answer(command)}\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterTests(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.address();
  return { url: `smtp://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`, commands };
}
