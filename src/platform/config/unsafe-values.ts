import { hasVerifiedTls } from './database-tls.js';
import type { Setting } from './settings.js';
import { settings } from './table.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** A value of the right form that must not be used, with a replacement. */
export interface UnsafeValue {
  name: string;
  weakness: string;
  expected: string;
  example: string;
}

const MAX_PRODUCTION_FACTOR = 100;

/** The values that production rejects, besides secrets that can be guessed (`weakSecrets`). */
export function unsafeInProduction(variables: Variables): UnsafeValue[] {
  const value = (setting: Setting<unknown>) => variables[setting.name]?.trim() ?? '';
  const found = [
    ...exampleValues(value),
    unencryptedDatabase(settings.databaseUrl, value(settings.databaseUrl)),
    unencryptedDatabase(settings.databaseDirectUrl, value(settings.databaseDirectUrl)),
    unencryptedDatabase(settings.migrationDatabaseUrl, value(settings.migrationDatabaseUrl)),
    unencryptedDatabase(settings.backupDatabaseUrl, value(settings.backupDatabaseUrl)),
    unencryptedDatabase(settings.databaseReplicaUrl, value(settings.databaseReplicaUrl)),
    unencryptedMail(value(settings.smtpUrl), value(settings.smtpTls)),
    ...ENCRYPTED.map(([setting, example]) => unencryptedAddress(setting.name, value(setting), example)),
    ...sdkAddresses(variables),
    plainBaseUrl(value(settings.baseUrl)),
    plainLinkUrl(value(settings.accountLinkUrl)),
    plainOrigins(value(settings.corsOrigins)),
    demoData(value(settings.demoData)),
    noRateLimit(value(settings.rateLimitFactor)),
  ];
  return found.filter((unsafe) => unsafe !== null);
}

/** Development has published credentials and no protection, so other machines cannot reach it by default. */
export function unsafeInDevelopment(variables: Variables): UnsafeValue[] {
  const host = variables[settings.host.name]?.trim() ?? '';
  const allowed = variables[settings.allowRemoteDevelopment.name]?.trim() === 'true';
  if (host === '' || allowed || isLoopback(host)) return [];
  return [
    {
      name: settings.host.name,
      weakness: 'makes a development service reachable from other machines',
      expected: 'a loopback address, NODE_ENV=production, or ALLOW_REMOTE_DEVELOPMENT=true',
      example: 'HOST=127.0.0.1',
    },
  ];
}

function exampleValues(value: (setting: Setting<unknown>) => string): UnsafeValue[] {
  const own = Object.values<Setting<unknown>>(settings).filter(({ isPlaceholder }) => isPlaceholder);
  return own
    .filter((setting) => setting.example !== '' && value(setting) === setting.example)
    .map(({ name, expected }) => ({
      name,
      weakness: 'is the example of the documentation',
      expected: `a value of your own: ${expected}`,
      example: 'see docs/configuration.md',
    }));
}

function unencryptedDatabase(setting: Setting<unknown>, text: string): UnsafeValue | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // A host in the query replaces the one of the address; one that starts with / is the folder of a socket.
  const host = url.searchParams.get('host') ?? url.hostname;
  if (host === '' || host.startsWith('/') || isLoopback(host) || hasVerifiedTls(url)) return null;
  return {
    name: setting.name,
    weakness: 'connects to another machine without verified TLS',
    expected: 'sslmode=verify-full, with sslrootcert unless the certificate is publicly trusted',
    example: 'postgres://user:password@db.internal:5432/travel?sslmode=verify-full',
  };
}

function unencryptedMail(text: string, startTls: string): UnsafeValue | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, searchParams } = new URL(text);
  const requiresTls = protocol === 'smtps:' || startTls === 'required' || searchParams.get('requireTLS') === 'true';
  const verifies = searchParams.get('tls.rejectUnauthorized') !== 'false' && searchParams.get('ignoreTLS') !== 'true';
  if (isLoopback(hostname) || (requiresTls && verifies)) return null;
  return {
    name: settings.smtpUrl.name,
    weakness: 'connects to another machine without verified TLS',
    expected: 'smtps://, or smtp:// with SMTP_TLS=required',
    example: 'SMTP_URL=smtp://user:password@mail.internal:587 and SMTP_TLS=required',
  };
}

/** Addresses of other machines that receive texts, files or traces of the service, with an example. */
const ENCRYPTED: readonly (readonly [Setting<unknown>, string])[] = [
  [settings.filesS3Endpoint, 'https://objects.internal'],
  [settings.embeddingUrl, 'https://embeddings.internal/v1/embeddings'],
  [settings.otlpEndpoint, 'https://collector.internal:4318'],
];

function unencryptedAddress(name: string, text: string, example: string): UnsafeValue | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname } = new URL(text);
  if (protocol === 'https:' || isLoopback(hostname)) return null;
  return {
    name,
    weakness: 'connects to another machine without TLS',
    expected: 'an https:// address, or one of this machine',
    example: `${name}=${example}`,
  };
}

/** The AWS SDK reads these for the services from which it gets credentials; for files it ignores them. */
function sdkAddresses(variables: Variables): (UnsafeValue | null)[] {
  const names = Object.keys(variables).filter((name) => name.startsWith('AWS_ENDPOINT_URL'));
  return names.map((name) => unencryptedAddress(name, variables[name]?.trim() ?? '', 'https://sts.internal'));
}

function plainBaseUrl(text: string): UnsafeValue | null {
  if (text !== '' && !text.startsWith('http:')) return null;
  return {
    name: settings.baseUrl.name,
    weakness: text === '' ? 'is missing, so links would start with http://' : 'starts with http://',
    expected: 'the https:// origin under which clients reach the service',
    example: 'BASE_URL=https://office.your-company.com',
  };
}

function plainLinkUrl(text: string): UnsafeValue | null {
  if (!text.startsWith('http:')) return null;
  return {
    name: settings.accountLinkUrl.name,
    weakness: 'starts with http://, so one-time links to accounts can be read in transit',
    expected: 'the https:// URL of the page in the back-office web app',
    example: 'ACCOUNT_LINK_URL=https://office.your-company.com/account',
  };
}

function plainOrigins(text: string): UnsafeValue | null {
  const plain = text.split(',').find((origin) => origin.trim().startsWith('http:'));
  if (plain === undefined) return null;
  return {
    name: settings.corsOrigins.name,
    weakness: `contains '${plain.trim()}', whose pages can be changed in transit`,
    expected: 'https:// origins only',
    example: 'CORS_ORIGINS=https://office.your-company.com',
  };
}

function demoData(text: string): UnsafeValue | null {
  if (text !== 'true') return null;
  return {
    name: settings.demoData.name,
    weakness: 'asks for demo data, whose credentials are published',
    expected: 'no value in production',
    example: 'DEMO_DATA=false',
  };
}

function noRateLimit(text: string): UnsafeValue | null {
  if (!(Number(text) > MAX_PRODUCTION_FACTOR)) return null;
  return {
    name: settings.rateLimitFactor.name,
    weakness: `is above ${MAX_PRODUCTION_FACTOR}, which turns the rate limits off`,
    expected: `a number above 0, at most ${MAX_PRODUCTION_FACTOR} in production`,
    example: 'RATE_LIMIT_FACTOR=2',
  };
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return address === 'localhost' || address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);
}
