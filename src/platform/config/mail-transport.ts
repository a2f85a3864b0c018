import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { readSmallFile } from './small-file.js';

const WEAKEST_RSA_BITS = 2048;
const OTHERS = 0o007;
/** Parameters of the URL, which the library prefers to its other options. */
const WEAKENING = ['ignoreTLS', 'requireTLS', 'opportunisticTLS', 'tls.rejectUnauthorized'];
const [BEGIN, END] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];
/** A bundle of all public authorities has 200 kB. */
const MAX_BUNDLE_BYTES = 1024 * 1024;

/** Protection of the connection to the mail server. The texts are PEM. */
export interface MailTls {
  /** If true, nothing is sent without TLS; otherwise STARTTLS is used if the server offers it. */
  required: boolean;
  /** If null, the authorities of Node.js apply. */
  ca: string | null;
  client: { cert: string; key: string } | null;
}

/** The key and names that sign mails (DKIM). */
export interface Dkim {
  domain: string;
  selector: string;
  privateKey: string;
}

export interface MailTransport {
  mailTls: MailTls;
  dkim: Dkim | null;
}

interface Given {
  smtpUrl: string | null;
  smtpTls: string;
  smtpCaFile: string | null;
  smtpCertFile: string | null;
  smtpKeyFile: string | null;
  dkimSelector: string | null;
  dkimDomain: string | null;
  dkimKeyFile: string | null;
  mailFrom: string;
  bounceDomain: string | null;
  bounceReportSecret: string | null;
}

type AddFault = (name: string, ...words: [fault: string, expected: string, example: string]) => void;

/** Reads the files of TLS and DKIM. Each fault names its variable; the content of a file is never repeated. */
export function readMailTransport(given: Given, faults: string[]): MailTransport {
  const add: AddFault = (name, ...[fault, expected, example]) => {
    faults.push(`${name}: ${fault}; expected ${expected}; for example ${example}`);
  };
  const tls = readTls(given, add);
  const dkim = readDkim(given, add);
  if (given.bounceDomain !== null && given.bounceReportSecret === null) {
    const example = 'BOUNCE_REPORT_SECRET=<the output of: openssl rand -base64 32>';
    add('BOUNCE_REPORT_SECRET', 'is missing beside BOUNCE_DOMAIN', 'the secret of those who report bounces', example);
  }
  if (given.smtpUrl !== null) return { mailTls: tls, dkim };
  const unused = {
    SMTP_CA_FILE: given.smtpCaFile,
    SMTP_CERT_FILE: given.smtpCertFile,
    DKIM_KEY_FILE: given.dkimKeyFile,
  };
  for (const [name, file] of Object.entries(unused)) {
    if (file !== null) {
      add(
        name,
        'is not used without a mail server',
        'SMTP_URL beside it',
        'SMTP_URL=smtps://user:password@mail.internal',
      );
    }
  }
  return { mailTls: tls, dkim };
}

function readTls(given: Given, add: AddFault): MailTls {
  const required = given.smtpTls === 'required';
  const url = given.smtpUrl !== null && URL.canParse(given.smtpUrl) ? new URL(given.smtpUrl) : null;
  const weakening = required && url ? WEAKENING.find((name) => url.searchParams.has(name)) : undefined;
  if (weakening !== undefined) {
    add('SMTP_TLS', `contradicts ${weakening} in SMTP_URL`, 'SMTP_URL without it', 'smtp://mail.internal:587');
  }
  const ca = given.smtpCaFile === null ? null : readCertificates('SMTP_CA_FILE', given.smtpCaFile, add);
  const client = readClient(given, add);
  const isEncrypted = required || url?.protocol === 'smtps:' || url?.searchParams.get('requireTLS') === 'true';
  if (client && url && !isEncrypted) {
    add(
      'SMTP_CERT_FILE',
      'is not shown to a server that may not use TLS',
      'SMTP_TLS=required or smtps://',
      'SMTP_TLS=required',
    );
  }
  return { required, ca, client };
}

function readClient({ smtpCertFile, smtpKeyFile }: Given, add: AddFault): MailTls['client'] {
  if (smtpCertFile === null && smtpKeyFile === null) return null;
  if (smtpCertFile === null || smtpKeyFile === null) {
    const [missing, given] = smtpCertFile === null ? ['CERT', 'KEY'] : ['KEY', 'CERT'];
    const example = `SMTP_${missing}_FILE=/run/secrets/mail-client.${missing === 'KEY' ? 'key' : 'pem'}`;
    add(`SMTP_${missing}_FILE`, `is missing beside SMTP_${given}_FILE`, 'certificate and key, or neither', example);
    return null;
  }
  const cert = readCertificates('SMTP_CERT_FILE', smtpCertFile, add);
  const key = readKey('SMTP_KEY_FILE', smtpKeyFile, add);
  if (cert === null || key === null) return null;
  try {
    createSecureContext({ cert, key });
  } catch {
    add(
      'SMTP_KEY_FILE',
      'is not the key of SMTP_CERT_FILE',
      'the private key of this certificate',
      'openssl x509 -in <cert> -pubkey',
    );
    return null;
  }
  return { cert, key };
}

/** The domain of a sender, with which its Message-IDs end. */
export function domainOf(mailFrom: string): string {
  return /^@([^\s<>]+)/.exec(mailFrom.slice(mailFrom.lastIndexOf('@')))?.[1] ?? 'localhost';
}

function readDkim(given: Given, add: AddFault): Dkim | null {
  const { dkimSelector, dkimDomain, dkimKeyFile, mailFrom } = given;
  if (dkimSelector === null && dkimKeyFile === null) {
    if (dkimDomain !== null)
      add('DKIM_DOMAIN', 'signs nothing', 'DKIM_SELECTOR and DKIM_KEY_FILE beside it', 'DKIM_SELECTOR=travel2026');
    return null;
  }
  if (dkimSelector === null) {
    add(
      'DKIM_SELECTOR',
      'is missing beside DKIM_KEY_FILE',
      'the name of the TXT record below _domainkey',
      'DKIM_SELECTOR=travel2026',
    );
  }
  if (dkimKeyFile === null) {
    add(
      'DKIM_KEY_FILE',
      'is missing beside DKIM_SELECTOR',
      'the path of an RSA private key',
      'DKIM_KEY_FILE=/run/secrets/dkim.key',
    );
  }
  const domain = dkimDomain ?? domainOf(mailFrom);
  if (domain === 'localhost') {
    add(
      'DKIM_DOMAIN',
      'is missing, and MAIL_FROM has no domain',
      'the domain that signs',
      'DKIM_DOMAIN=your-company.com',
    );
  }
  const privateKey = dkimKeyFile === null ? null : readKey('DKIM_KEY_FILE', dkimKeyFile, add);
  if (privateKey === null || dkimSelector === null) return null;
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPrivateKey(privateKey);
  // Receivers need not verify shorter keys (RFC 8301), and the library signs with RSA only.
  if (type !== 'rsa' || (details?.modulusLength ?? 0) < WEAKEST_RSA_BITS) {
    const found = type === 'rsa' ? `an RSA key of ${details?.modulusLength} bits` : `a key of type ${type}`;
    add('DKIM_KEY_FILE', `has ${found}`, 'an RSA key of 2048 bits or more', 'openssl genrsa -out dkim.key 2048');
  }
  return { domain, selector: dkimSelector, privateKey };
}

function readCertificates(name: string, path: string, add: AddFault): string | null {
  const text = read(name, path, add)?.content ?? null;
  if (text === null) return null;
  const found = text.split(END).filter((part) => part.includes(BEGIN));
  try {
    for (const part of found) new X509Certificate(`${part.slice(part.indexOf(BEGIN))}${END}`);
    if (found.length > 0) return text;
  } catch {
    // Named below.
  }
  add(name, `${path} contains no valid certificate`, 'certificates in PEM', BEGIN);
  return null;
}

function readKey(name: string, path: string, add: AddFault): string | null {
  const file = read(name, path, add);
  if (file === null) return null;
  if ((file.mode & OTHERS) !== 0) {
    add(
      name,
      `${path} can be read by every user of the machine`,
      'a mode such as 0400, 0440 or 0600',
      `chmod 600 ${path}`,
    );
    return null;
  }
  try {
    createPublicKey(createPrivateKey(file.content));
    return file.content;
  } catch {
    add(
      name,
      `${path} contains no private key, or an encrypted one`,
      'a private key in PEM without a password',
      '-----BEGIN PRIVATE KEY-----',
    );
    return null;
  }
}

function read(name: string, path: string, add: AddFault): { content: string; mode: number } | null {
  try {
    return readSmallFile(path, MAX_BUNDLE_BYTES);
  } catch (error) {
    add(
      name,
      `${path} cannot be read (${(error as Error).message})`,
      'a file that the service can read',
      `${name}=/run/secrets/${name.toLowerCase()}`,
    );
    return null;
  }
}
