import { resolve } from 'node:path';
import { ConfigurationError } from './configuration-error.js';
import { Env } from './env.js';
import { readFileStores } from './file-stores.js';
import { readKeks } from './keks.js';
import { readMailTransport } from './mail-transport.js';
import type { Setting } from './settings.js';
import { settings } from './table.js';
import { unsafeInDevelopment, unsafeInProduction } from './unsafe-values.js';
import { unknownSettings } from './unknown-settings.js';
import { weakSecrets } from './weak-secrets.js';

type Variables = Readonly<Record<string, string | undefined>>;
type Settings = typeof settings;
type Values = { [K in keyof Settings]: ReturnType<Settings[K]['parse']> };

/** Settings needed by a migration. */
const MIGRATION_SETTINGS = [
  'nodeEnv',
  'databaseUrl',
  'databaseDirectUrl',
  'migrationDatabaseUrl',
  'databasePoolSize',
  'orgTimeZone',
] as const;

/** Settings needed by a backup. */
const BACKUP_SETTINGS = [
  'nodeEnv',
  'databaseUrl',
  'databaseDirectUrl',
  'migrationDatabaseUrl',
  'backupDatabaseUrl',
  'backupDir',
  'backupKeep',
  'dataDir',
  'filesDir',
  'filesUrl',
  'filesFallback',
  'ledgerCheckpointFile',
] as const;

/**
 * Parses the environment once. Every fault is collected, so that an operator can correct all of them at once.
 * Throws ConfigurationError with one `NAME: what is wrong, what is expected, example` line each.
 */
export function readEnv(variables: Variables): Env {
  const faults: string[] = [];
  const values = readSettings(variables, faults);
  const production = values.nodeEnv === 'production';
  const { kekProvider: provider, kekFile: file, vaultKekPrimary: primary } = values;
  const { kekPkcs11Library: library, kekPkcs11Token: label, kekPkcs11PinFile: pinFile } = values;
  const token = { library, label, pinFile };
  const keks = readKeks(variables, { provider, file, token, primary, production }, faults);
  // A faulty sender is undefined.
  const mail = readMailTransport({ ...values, mailFrom: values.mailFrom ?? '' }, faults);
  if (values.otlpEndpoint === null && Object.keys(values.otlpHeaders ?? {}).length > 0) {
    faults.push(
      'OTEL_EXPORTER_OTLP_HEADERS: is not used; expected OTEL_EXPORTER_OTLP_ENDPOINT beside it; for example OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318',
    );
  }
  const fileStores = readFileStores(values, faults);
  faults.push(...unsafeFaults(variables, production, faults));
  // A setting that is missing may be misspelled.
  if (faults.length > 0) throw new ConfigurationError([...faults, ...misspelled(variables)]);

  const baseUrl = values.baseUrl ?? `http://${values.host === '0.0.0.0' ? 'localhost' : values.host}:${values.port}`;
  const { nodeEnv, allowRemoteDevelopment, backupDir, backupDatabaseUrl, backupKeep, ...served } = values;
  const { kekProvider, kekFile, kekPkcs11Library, kekPkcs11Token, kekPkcs11PinFile, vaultKekPrimary, ...rest } = served;
  return {
    ...rest,
    production,
    unknownSettings: unknownSettings(variables),
    ...keks,
    ...mail,
    ...fileStores,
    databaseDirectUrl: values.databaseDirectUrl ?? values.databaseUrl,
    demoData: values.demoData && !production,
    baseUrl,
    accountLinkUrl: values.accountLinkUrl ?? `${baseUrl}/account`,
    dataDir: resolve(values.dataDir),
    ledgerCheckpointFile: resolve(values.ledgerCheckpointFile ?? `${values.dataDir}/ledger-checkpoints.jsonl`),
    ledgerCheckpoints: true,
    docs: values.docs === null ? !production : values.docs === 'true',
    metrics: values.metrics === null ? !production : values.metrics === 'true',
    drainSeconds: values.drainSeconds === null ? (production ? 2 : 0) : Number(values.drainSeconds),
    vaultUpsert: values.vaultUpsert === null ? !production : values.vaultUpsert === 'true',
  };
}

/**
 * Reads only the settings of a migration, so that its process needs no keys and no service settings. Throws ConfigurationError.
 */
export function readMigrationEnv(
  variables: Variables,
): Pick<
  Env,
  'databaseUrl' | 'databaseDirectUrl' | 'migrationDatabaseUrl' | 'databasePoolSize' | 'orgTimeZone' | 'production'
> {
  const values = readOnly(MIGRATION_SETTINGS, variables);
  const { databaseUrl, databaseDirectUrl, migrationDatabaseUrl, databasePoolSize, orgTimeZone } = values;
  return {
    databaseUrl,
    databaseDirectUrl: databaseDirectUrl ?? databaseUrl,
    migrationDatabaseUrl,
    databasePoolSize,
    orgTimeZone,
    production: values.nodeEnv === 'production',
  };
}

/**
 * The faults of the settings that a backup needs: its process needs no keys and no other settings, and with its own role no other
 * address of the database. Throws ConfigurationError.
 */
export function checkBackupEnv(variables: Variables): void {
  const hasOwnRole = Boolean(variables['BACKUP_DATABASE_URL']) && !variables['DATABASE_URL'];
  readOnly(
    BACKUP_SETTINGS.filter((name) => !hasOwnRole || name !== 'databaseUrl'),
    variables,
  );
}

/** The values of some settings; the others may be missing. */
function readOnly<K extends keyof Settings>(keys: readonly K[], variables: Variables): Pick<Values, K> {
  const names: readonly string[] = keys.map((key) => settings[key].name);
  const faults: string[] = [];
  const values = readSettings(variables, faults);
  faults.push(...unsafeFaults(variables, values.nodeEnv === 'production', faults));
  const own = faults.filter((fault) => names.some((name) => fault.startsWith(`${name}: `)));
  if (own.length > 0) throw new ConfigurationError(own);
  return values;
}

function misspelled(variables: Variables): string[] {
  return unknownSettings(variables).map(({ name, likely }) => `${name}: is not a setting; expected ${likely}`);
}

/** Values that have the right form but protect nothing. A variable with another fault is named once. */
function unsafeFaults(variables: Variables, production: boolean, faults: readonly string[]): string[] {
  const named = new Set(faults.map((fault) => fault.split(':', 1)[0]));
  const unsafe = production
    ? [...weakSecrets(variables), ...unsafeInProduction(variables)]
    : unsafeInDevelopment(variables);
  return unsafe.flatMap(({ name, weakness, expected, example }) => {
    if (named.has(name)) return [];
    named.add(name);
    return [`${name}: ${weakness}; expected ${expected}; for example ${example}`];
  });
}

function readSettings(variables: Variables, faults: string[]): Values {
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries<Setting<unknown>>(settings)) {
    values[key] = readSetting(setting, variables, faults);
  }
  // The table defines the keys, and each value came from the parser of its setting.
  return values as Values;
}

function readSetting(setting: Setting<unknown>, variables: Variables, faults: string[]): unknown {
  const given = variables[setting.name]?.trim();
  const text = given === undefined || given === '' ? setting.fallback : given;
  if (text === undefined) {
    faults.push(describe(setting, 'is missing'));
    return undefined;
  }
  try {
    return setting.parse(text);
  } catch (fault) {
    faults.push(describe(setting, fault instanceof Error ? fault.message : String(fault)));
    return undefined;
  }
}

function describe(setting: Setting<unknown>, fault: string): string {
  return `${setting.name}: ${fault}; expected ${setting.expected}; for example ${setting.name}=${setting.example}`;
}
