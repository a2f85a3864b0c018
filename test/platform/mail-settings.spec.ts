import { afterAll, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnv } from '../../src/platform/config/read-env.js';
import { TestAuthority } from '../setup/certificates.js';
import { settingsFaults } from '../setup/settings.js';

const folder = mkdtempSync(join(tmpdir(), 'travel-mail-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const rsa = (modulusLength: number) => pem(generateKeyPairSync('rsa', { modulusLength }).privateKey);
const authority = new TestAuthority();
const [own, other] = [authority.issue('travel'), authority.issue('other')];

const SMTP_URL = 'smtp://mail.acme.test:587';
const REQUIRED = { SMTP_URL, SMTP_TLS: 'required' };
const CERT = { SMTP_CERT_FILE: fileOf('own.pem', own.cert), SMTP_KEY_FILE: fileOf('own.key', own.key) };
const DKIM_KEY_FILE = fileOf('dkim.key', rsa(2048), 0o640);
const DKIM = { DKIM_SELECTOR: 'travel2026', DKIM_KEY_FILE };
const BOUNCE_REPORT_SECRET = randomBytes(32).toString('base64');
const MAIL_FROM = 'Acme <office@acme.test>';
const encrypted = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'pass' },
}).privateKey;

const base = { DATABASE_URL: 'postgres://travel:pass-of-the-role@127.0.0.1:5432/travel', MAIL_FROM };
const production = {
  NODE_ENV: 'production',
  BASE_URL: 'https://office.acme.test',
  VAULT_KEK_a: randomBytes(32).toString('base64'),
  VAULT_KEK_PRIMARY: 'a',
};

const faultsOf = (variables: Record<string, string>) => settingsFaults({ ...base, ...variables });

describe('the settings of mail', () => {
  it.each<[fault: string, variables: Record<string, string>]>([
    ['SMTP_TLS: is not one of these values', { SMTP_URL, SMTP_TLS: 'always' }],
    ['BOUNCE_REPORT_SECRET: is missing beside BOUNCE_DOMAIN', { SMTP_URL, BOUNCE_DOMAIN: 'bounces.acme.test' }],
    ['BOUNCE_DOMAIN: has the wrong form', { SMTP_URL, BOUNCE_DOMAIN: 'bounces@acme.test', BOUNCE_REPORT_SECRET }],
    ['BOUNCE_REPORT_SECRET: has the wrong form', { SMTP_URL, BOUNCE_REPORT_SECRET: 'short' }],
    [
      'BOUNCE_REPORT_SECRET: repeats itself and is not random',
      { ...production, SMTP_URL: 'smtps://mail.acme.test', BOUNCE_REPORT_SECRET: 'abcd'.repeat(10) },
    ],
    ['SMTP_TLS: contradicts ignoreTLS', { ...REQUIRED, SMTP_URL: `${SMTP_URL}?ignoreTLS=true` }],
    ['SMTP_TLS: contradicts requireTLS', { ...REQUIRED, SMTP_URL: `${SMTP_URL}?requireTLS=false` }],
    [
      'SMTP_TLS: contradicts tls.rejectUnauthorized',
      { ...REQUIRED, SMTP_URL: `${SMTP_URL}?tls.rejectUnauthorized=false` },
    ],
    ['SMTP_CA_FILE: /nowhere/ca.pem cannot be read', { SMTP_URL, SMTP_CA_FILE: '/nowhere/ca.pem' }],
    [`SMTP_CA_FILE: ${folder} cannot be read (it is not a file)`, { SMTP_URL, SMTP_CA_FILE: folder }],
    ['SMTP_CA_FILE: .* contains no valid certificate', { SMTP_URL, SMTP_CA_FILE: fileOf('empty.pem', 'none') }],
    [
      'SMTP_CA_FILE: .* contains no valid certificate',
      { SMTP_URL, SMTP_CA_FILE: fileOf('cut.pem', own.cert.replace(/\n.{20}/, '\n')) },
    ],
    ['SMTP_CA_FILE: is not used without a mail server', { SMTP_CA_FILE: fileOf('ca.pem', authority.cert) }],
    ['SMTP_KEY_FILE: is missing beside SMTP_CERT_FILE', { ...REQUIRED, SMTP_CERT_FILE: CERT.SMTP_CERT_FILE }],
    ['SMTP_CERT_FILE: is missing beside SMTP_KEY_FILE', { ...REQUIRED, SMTP_KEY_FILE: CERT.SMTP_KEY_FILE }],
    [
      'SMTP_KEY_FILE: is not the key of SMTP_CERT_FILE',
      { ...REQUIRED, ...CERT, SMTP_KEY_FILE: fileOf('other.key', other.key) },
    ],
    [
      'SMTP_KEY_FILE: .* can be read by every user',
      { ...REQUIRED, ...CERT, SMTP_KEY_FILE: fileOf('open.key', own.key, 0o644) },
    ],
    ['SMTP_CERT_FILE: is not shown to a server that may not use TLS', { SMTP_URL, ...CERT }],
    ['DKIM_SELECTOR: is missing beside DKIM_KEY_FILE', { SMTP_URL, DKIM_KEY_FILE }],
    ['DKIM_SELECTOR: has the wrong form', { SMTP_URL, ...DKIM, DKIM_SELECTOR: 'a; b=c' }],
    ['DKIM_DOMAIN: has the wrong form', { SMTP_URL, ...DKIM, DKIM_DOMAIN: 'acme.test; l=0' }],
    ['DKIM_DOMAIN: is missing, and MAIL_FROM has no domain', { SMTP_URL, ...DKIM, MAIL_FROM: '' }],
    ['DKIM_DOMAIN: signs nothing', { SMTP_URL, DKIM_DOMAIN: 'acme.test' }],
    ['DKIM_KEY_FILE: is missing beside DKIM_SELECTOR', { SMTP_URL, DKIM_SELECTOR: 'travel2026' }],
    ['DKIM_KEY_FILE: is not used without a mail server', DKIM],
    [
      'DKIM_KEY_FILE: .* can be read by every user',
      { SMTP_URL, ...DKIM, DKIM_KEY_FILE: fileOf('open-dkim.key', rsa(2048), 0o604) },
    ],
    [
      'DKIM_KEY_FILE: has an RSA key of 1024 bits',
      { SMTP_URL, ...DKIM, DKIM_KEY_FILE: fileOf('short.key', rsa(1024)) },
    ],
    ['DKIM_KEY_FILE: has a key of type ec', { SMTP_URL, ...DKIM, DKIM_KEY_FILE: fileOf('ec.key', own.key) }],
    ['DKIM_KEY_FILE: .* contains no private key', { SMTP_URL, ...DKIM, DKIM_KEY_FILE: fileOf('none.key', 'none') }],
    ['DKIM_KEY_FILE: .* or an encrypted one', { SMTP_URL, ...DKIM, DKIM_KEY_FILE: fileOf('encrypted.key', encrypted) }],
  ])('a start is rejected with the fault %s', (fault, variables) => {
    const faults = faultsOf(variables);
    const start = fault.replace(/[()]/g, '\\$&');
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${start}.*; expected .+; for example .+`))]);
    expect(faults.join()).not.toMatch(/PRIVATE KEY-----\n/);
  });

  it('TLS and DKIM of mail are read from the files', () => {
    const env = readEnv({ ...base, ...REQUIRED, ...CERT, ...DKIM, SMTP_CA_FILE: fileOf('ca.pem', authority.cert) });
    expect(env.mailTls).toEqual({ required: true, ca: authority.cert, client: own });
    expect(env.dkim).toMatchObject({ domain: 'acme.test', selector: 'travel2026' });
    expect(readEnv({ ...base, SMTP_URL }).mailTls).toEqual({ required: false, ca: null, client: null });
    expect(readEnv({ ...base, SMTP_URL }).dkim).toBeNull();
  });

  it.each([
    ['smtp:// with SMTP_TLS=required', REQUIRED, []],
    ['smtps://', { SMTP_URL: 'smtps://u:p@mail.acme.test' }, []],
    ['smtp:// with opportunistic TLS', { SMTP_URL }, ['SMTP_URL: connects to another machine without verified TLS']],
  ])('in production %s to another machine is checked', (_, variables, expected) => {
    const faults = faultsOf({ ...production, ...variables });
    expect(faults.map((fault) => fault.split(';', 1)[0])).toEqual(expected);
  });
});
