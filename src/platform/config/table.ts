import { type CredentialKind, parseCredential } from '../ids/credentials.js';
import { backupSettings, retentionSettings } from './data-settings.js';
import { catalogSettings } from './catalog-settings.js';
import { fileSettings } from './file-settings.js';
import { keySettings } from './key-settings.js';
import { mailSettings } from './mail-settings.js';
import { monitoringSettings } from './monitoring-settings.js';
import { servingSettings } from './serving-settings.js';
import {
  addressFault,
  choice,
  factor,
  flag,
  folder,
  list,
  optionalPostgresUrl,
  optionalText,
  originFault,
  postgresUrl,
  text,
  timeZone,
  wholeNumber,
} from './settings.js';

export const SURFACES = ['storefront', 'staff', 'connect', 'vault', 'realtime', 'data', 'octo'] as const;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/;
const credential = (kind: CredentialKind) => ({ test: (token: string) => parseCredential(token)?.kind === kind });

/** Every environment variable of the service, in the order of the README's table. `VAULT_KEK_<id>` is in keks.ts. */
export const settings = {
  nodeEnv: choice(
    {
      name: 'NODE_ENV',
      isCore: true,
      purpose: 'In `production` there is no demo data, and neither credentials nor a vault key are generated',
      example: 'production',
      fallback: 'development',
    },
    ['development', 'test', 'production'],
  ),
  host: text({
    name: 'HOST',
    purpose: 'Address to listen on; outside production a loopback address unless `ALLOW_REMOTE_DEVELOPMENT` is true',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
  }),
  port: wholeNumber({
    name: 'PORT',
    purpose: 'Port to listen on',
    example: '3000',
    fallback: '3000',
    min: 0,
    max: 65535,
  }),
  baseUrl: optionalText({
    name: 'BASE_URL',
    isCore: true,
    purpose: 'Address under which clients reach the service, https in production; absent: http://HOST:PORT',
    example: 'https://office.example.com',
    isPlaceholder: true,
    expected: 'an http or https origin without a path',
    form: /^https?:\/\/[A-Za-z0-9.\-[\]:]+$/,
  }),
  surfaces: list({
    name: 'SURFACES',
    purpose: 'The surfaces that this process serves',
    example: 'connect,vault,realtime,data',
    fallback: SURFACES.join(','),
    expected: `a list of ${SURFACES.join(', ')}`,
    check: (entry) =>
      SURFACES.some((surface) => surface === entry) ? null : `names '${entry}', which is not a surface`,
  }),
  databaseUrl: postgresUrl({
    name: 'DATABASE_URL',
    isCore: true,
    purpose:
      'PostgreSQL database, version 15 or newer; if absent, `npm start` starts an embedded server. In production the role owns nothing and a server on another machine uses TLS',
    example: 'postgres://travel:secret@127.0.0.1:5432/travel',
    isPlaceholder: true,
  }),
  databaseDirectUrl: optionalPostgresUrl({
    name: 'DATABASE_DIRECT_URL',
    purpose:
      'The same database with the same role at the address of the server itself, for notifications and locks of a session; required if `DATABASE_URL` leads to a pooler in transaction mode. Absent: `DATABASE_URL`',
    example: 'postgres://travel:secret@127.0.0.1:5432/travel',
    isPlaceholder: true,
  }),
  migrationDatabaseUrl: optionalPostgresUrl({
    name: 'MIGRATION_DATABASE_URL',
    isCore: true,
    purpose:
      'The same database with the role that owns it: migrations run with this role, which grants the role of `DATABASE_URL` what the service needs. Absent: migrations run with the role of `DATABASE_URL`, at the address of `DATABASE_DIRECT_URL`',
    example: 'postgres://travel_owner:secret@127.0.0.1:5432/travel',
    isPlaceholder: true,
  }),
  migrate: flag({
    name: 'MIGRATE',
    purpose:
      'Apply pending migrations at a start and before a command. If `false`, both reject a schema that is older than they need; `platform migrate` updates it',
    example: 'false',
    fallback: 'true',
  }),
  databasePoolSize: wholeNumber({
    name: 'DATABASE_POOL_SIZE',
    purpose:
      'Maximum connections in the pool of one process, which opens two more: for its watchdog and for LISTEN; with `DATABASE_DIRECT_URL` these and one for new jobs are at that address',
    example: '20',
    fallback: '20',
    min: 4,
    max: 500,
  }),
  databaseReplicaUrl: optionalPostgresUrl({
    name: 'DATABASE_REPLICA_URL',
    purpose:
      'A streaming replica of the database, for reports, exports and searches of the storefront, which may be some seconds old; names one server, with the database and the role of `DATABASE_URL`. Absent: none',
    example: 'postgres://travel:secret@10.0.0.7:5432/travel',
    isPlaceholder: true,
  }),
  databaseReplicaMaxLagMs: wholeNumber({
    name: 'DATABASE_REPLICA_MAX_LAG_MS',
    purpose:
      'Milliseconds of the past that may be missing on the replica; while it lags further behind, the primary is read',
    example: '2000',
    fallback: '5000',
    min: 1_000,
    max: 60_000,
  }),
  dataDir: folder({
    name: 'DATA_DIR',
    isCore: true,
    purpose: 'Folder for files that the service keeps',
    example: '.data',
    fallback: '.data',
  }),
  ...fileSettings,
  ledgerCheckpointFile: optionalText({
    name: 'LEDGER_CHECKPOINT_FILE',
    purpose:
      'File of the signed checkpoints of the action ledger, shared by all processes and kept away from those who own the database; absent: `ledger-checkpoints.jsonl` in DATA_DIR',
    example: '/var/lib/travel-audit/ledger-checkpoints.jsonl',
    expected: 'the path of a file',
    form: /^[^\0]{1,500}$/,
  }),
  ledgerCheckpointMinutes: wholeNumber({
    name: 'LEDGER_CHECKPOINT_MINUTES',
    purpose: 'Minutes between two checkpoints of the action ledger; none is written if no entry was added',
    example: '5',
    fallback: '15',
    min: 1,
    max: 1440,
  }),
  ...backupSettings,
  ...servingSettings,
  ...monitoringSettings,
  docs: optionalText({
    name: 'DOCS',
    purpose: 'Serve Swagger UI (`/docs`), Scalar (`/reference`) and `/openapi.json`; absent: only outside production',
    example: 'true',
    expected: 'true or false',
    form: /^(true|false)$/,
  }),
  allowRemoteDevelopment: flag({
    name: 'ALLOW_REMOTE_DEVELOPMENT',
    purpose: 'Outside production, HOST may be an address that other machines can reach',
    example: 'true',
    fallback: 'false',
  }),
  jobs: flag({
    name: 'JOBS',
    purpose: 'Run jobs and publish events in this process',
    example: 'true',
    fallback: 'true',
  }),
  scheduledJobs: flag({
    name: 'SCHEDULED_JOBS',
    purpose: 'Start jobs at their scheduled times in this process, if `JOBS` is true',
    example: 'true',
    fallback: 'true',
  }),
  demoData: flag({
    name: 'DEMO_DATA',
    purpose: 'Load demo data into an empty database; production rejects `true`',
    example: 'false',
    fallback: 'true',
  }),
  orgName: text({
    name: 'ORG_NAME',
    isCore: true,
    purpose: 'Name of the organization, which the first start copies to its profile; authenticator apps show it',
    example: 'Acme Tours Ltd',
    isPlaceholder: true,
    fallback: 'Demo Travel',
  }),
  orgAddress: text({
    name: 'ORG_ADDRESS',
    purpose: 'Address of the organization, which the first start copies to its profile',
    example: '1 High Street, London',
    isPlaceholder: true,
    fallback: '',
  }),
  orgTaxId: text(
    {
      name: 'ORG_TAX_ID',
      purpose: 'Tax id of the organization, which the first start copies to its profile',
      example: 'GB123456789',
      isPlaceholder: true,
      fallback: '',
    },
    50,
  ),
  orgTimeZone: timeZone({
    name: 'ORG_TIME_ZONE',
    isCore: true,
    purpose: 'Time zone of the organization; it determines the current day',
    example: 'Europe/London',
    fallback: 'UTC',
  }),
  ...mailSettings,
  ...retentionSettings,
  rateLimitFactor: factor({
    name: 'RATE_LIMIT_FACTOR',
    purpose: 'Multiplies the rate limits, but not those on failed logins and client secrets; at most 100 in production',
    example: '2',
    fallback: '1',
  }),
  requireMfa: flag({
    name: 'REQUIRE_MFA',
    purpose:
      'Sessions need a second factor: without one they can only set it up, and sensitive changes need one that was proved during the last 15 minutes (docs/scopes.md); API tokens are exempt',
    example: 'true',
    fallback: 'false',
  }),
  apiTokensWithoutEnd: flag({
    name: 'API_TOKENS_WITHOUT_END',
    purpose:
      'Staff may create API tokens without an end, or with one up to ten years away; otherwise a token ends after a year at most. Preset tokens have no end',
    example: 'true',
    fallback: 'false',
  }),
  trustedProxies: list({
    name: 'TRUSTED_PROXIES',
    isCore: true,
    purpose: 'Proxies whose X-Forwarded-For header is trusted',
    example: '10.0.0.0/8,127.0.0.1',
    fallback: '',
    expected: 'a list of IP addresses or networks in CIDR form',
    check: addressFault,
  }),
  corsOrigins: list({
    name: 'CORS_ORIGINS',
    purpose: 'Origins of the back-office web app; no wildcard. Outside production also `http://localhost` at any port',
    example: 'https://office.example.com',
    isPlaceholder: true,
    fallback: '',
    expected: 'a list of origins',
    check: originFault,
  }),
  ...catalogSettings,
  ...keySettings,
  bootstrapStaffToken: optionalText({
    name: 'BOOTSTRAP_STAFF_TOKEN',
    purpose: 'Preset staff token of the first owner',
    example: 'vsk_<16 letters or digits>_<49 letters or digits>',
    expected: 'vsk_, 16 base62 characters, _, 43 base62 characters and their checksum of 6',
    form: credential('vsk'),
  }),
  bootstrapPlatformKey: optionalText({
    name: 'BOOTSTRAP_PLATFORM_KEY',
    purpose: 'Preset platform API key',
    example: 'tpk_<16 letters or digits>_<49 letters or digits>',
    expected: 'tpk_, 16 base62 characters, _, 43 base62 characters and their checksum of 6',
    form: credential('tpk'),
  }),
  bootstrapAdminEmail: optionalText({
    name: 'BOOTSTRAP_ADMIN_EMAIL',
    isCore: true,
    purpose: 'E-mail address of the first owner',
    example: 'owner@example.com',
    expected: 'an e-mail address',
    form: EMAIL,
  }),
  bootstrapAdminPassword: optionalText({
    name: 'BOOTSTRAP_ADMIN_PASSWORD',
    isCore: true,
    purpose: 'Password of the first owner',
    example: 'a sentence of your own',
    expected: '12 to 256 characters',
    form: /^.{12,256}$/u,
  }),
};
