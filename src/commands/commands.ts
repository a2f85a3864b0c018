import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import type { DataSource } from 'typeorm';
import { apiDocumentContent } from '../document/api-document.js';
import { connect, endOf, readMigrationSettings, readProcessEnv } from '../bootstrap/boot.js';
import { reindex } from './catalog-commands.js';
import {
  type CommandContext,
  CommandError,
  CommandOptions,
  type CommandTools,
  EXIT_DATA,
  type Outcome,
  ProgressReport,
} from './command.js';
import { createApp } from '../bootstrap/configure-app.js';
import { eventTable } from '../bootstrap/domain-events.js';
import { linkCustomers } from './customer-commands.js';
import { moveFilesCommand } from './file-commands.js';
import { firstStart } from '../bootstrap/first-start.js';
import { revokeSigningKeys, rewrapKeys, rotateSigningKey } from './key-commands.js';
import { checkpointLedger, erasePayloads, verifyLedger } from './ledger-commands.js';
import { migrateDatabase, prepareSchema } from '../bootstrap/migration.js';
import { personalDataPage } from '../bootstrap/personal-data.js';
import {
  ConfigurationError,
  DatabaseUnavailableError,
  UNAVAILABLE_EXIT_CODE,
} from '../platform/config/configuration-error.js';
import { configurationPage, environmentExample } from '../platform/config/configuration-page.js';
import type { Env } from '../platform/config/env.js';
import { AppError, type Issue } from '../platform/errors/app-error.js';
import { appErrorOf, databaseErrorOf, isUnmapped } from '../platform/errors/database-errors.js';
import { createLog } from '../platform/observability/log.js';
import { buildDocument } from '../platform/openapi/document.js';
import type { GeneratedSecret } from '../platform/provisioning/provisioning-decorators.js';
import { Provisioning } from '../platform/provisioning/provisioning.js';
import { scopeTable } from '../document/scope-table.js';
import {
  addUser,
  disableUser,
  enableUser,
  endSessions,
  inviteUser,
  listUsers,
  removeSecondFactor,
} from './user-commands.js';

/** The command opens its own resources. */
type Alone = (options: CommandOptions, tools: CommandTools) => Promise<Outcome>;
/** The command only reads the database, does not migrate it, and needs no application. */
type OnDatabase = (dataSource: DataSource, env: Env, tools: CommandTools) => Promise<Outcome>;
/** The command runs in the application, which serves no requests and runs no jobs. */
type InApplication = (context: CommandContext) => Promise<Outcome>;

const alone = new Map<string, Alone>([
  ['migrate', migrate],
  ['files move', moveFilesCommand],
]);

const onDatabase = new Map<string, OnDatabase>([['ledger verify', verifyLedger]]);

const inApplication = new Map<string, InApplication>([
  ['users list', listUsers],
  ['users add', addUser],
  ['users invite', inviteUser],
  ['users enable', enableUser],
  ['users disable', disableUser],
  ['users end-sessions', endSessions],
  ['users remove-second-factor', removeSecondFactor],
  ['demo', loadDemo],
  ['provision', provision],
  ['keys rotate', rotateSigningKey],
  ['keys revoke', revokeSigningKeys],
  ['keys rewrap', rewrapKeys],
  ['ledger checkpoint', checkpointLedger],
  ['ledger erase', erasePayloads],
  ['customers link', linkCustomers],
  ['reindex', reindex],
  ['openapi', printDocument],
  ['docs', writeDocs],
]);

/**
 * Runs a command of the operator's command line, which has checked the arguments. Throws `CommandError` for expected failures.
 */
export async function runCommand(
  name: string,
  values: Readonly<Record<string, unknown>>,
  tools: CommandTools,
): Promise<Outcome> {
  const options = new CommandOptions(values);
  try {
    return await run(name, options, tools);
  } catch (error) {
    throw expected(error);
  }
}

async function run(name: string, options: CommandOptions, tools: CommandTools): Promise<Outcome> {
  const workAlone = alone.get(name);
  if (workAlone) return workAlone(options, tools);
  // Only the service runs jobs, writes checkpoints at an interval and reports errors, not a command.
  const env: Env = { ...readProcessEnv(), jobs: false, ledgerCheckpoints: false, errorReporter: null };
  const workOnDatabase = onDatabase.get(name);
  if (workOnDatabase) {
    const dataSource = await connect(env);
    return workOnDatabase(dataSource, env, tools).finally(() => dataSource.destroy());
  }
  const work = inApplication.get(name);
  if (!work) throw new Error(`The service has no command ${name}`);
  await prepareSchema(env);
  const dataSource = await connect(env);
  const app = await createApp({ env, dataSource, log: createLog('warn', process.stderr) });
  await app.init();
  try {
    return await work({ app, env, options, tools });
  } finally {
    await app.close();
  }
}

/** Prints faults of the configuration, an unavailable database, and errors of the service without a stack. */
function expected(error: unknown): unknown {
  if (error instanceof ConfigurationError || error instanceof DatabaseUnavailableError) {
    const { text, exitCode } = endOf(error);
    const faults = error instanceof ConfigurationError ? error.faults : [error.fault];
    return new CommandError(exitCode, text, { faults });
  }
  const rejection = error instanceof AppError ? error : constraintErrorOf(error);
  if (!rejection) return error;
  const { status, message, details, code } = rejection;
  const issues = (details?.['issues'] ?? []) as Issue[];
  const lines = [`Rejected: ${message}`, ...issues.map(({ path, message: fault }) => `  ${path}: ${fault}`)];
  return new CommandError(status === 503 ? UNAVAILABLE_EXIT_CODE : EXIT_DATA, lines.join('\n'), details, code);
}

/** Returns the error of a violated constraint, if it has one. */
function constraintErrorOf(error: unknown): AppError | null {
  const found = databaseErrorOf(error);
  return found?.constraint === undefined || isUnmapped(found) ? null : appErrorOf(found);
}

async function migrate(_options: CommandOptions, tools: CommandTools): Promise<Outcome> {
  const progress = new ProgressReport(tools, 'migrating', 'migrations');
  const report = await migrateDatabase(readMigrationSettings(), {
    waiting: () => tools.note('Another process is migrating; waiting for it'),
    started: (name, position, total) => {
      tools.note(`  ${position} of ${total}  ${name}`);
      progress.update(position - 1, total);
    },
    repeated: (name) => tools.note(`  ${name} waits for transactions that lock its tables`),
  });
  progress.end();
  const { applied, schemaVersion, oldestBuild } = report;
  const done = applied.length === 0 ? 'No migration is pending' : `Applied ${applied.length} migrations`;
  const builds = `The schema has version ${schemaVersion}; builds from ${oldestBuild ?? schemaVersion} on may run on it`;
  return { result: report, lines: [`${done}. ${builds}`] };
}

async function loadDemo({ app, env, tools }: CommandContext): Promise<Outcome> {
  await firstStart(app, env, { note: (line) => tools.note(line), withSeason: false });
  return { result: { done: true }, lines: [] };
}

async function provision({ app, options }: CommandContext): Promise<Outcome> {
  const path = options.get('file');
  const secrets: GeneratedSecret[] = [];
  const shown = () => secrets.map(({ kind, owner, secret }) => `  ${kind} of ${owner}, shown only now: ${secret}`);
  try {
    const document: unknown = JSON.parse(await readFile(path, 'utf8'));
    const sections = await app.get(Provisioning).apply(document, (secret) => secrets.push(secret));
    const lines = [...shown(), ...sections.map(({ name, rows }) => `  ${name}: ${rows}`)];
    return { result: { sections, secrets }, lines };
  } catch (error) {
    const message = String((error as Error).message).replace(/^/gm, '  ');
    // Sections before the failed one are already applied.
    const lines = [`${path} could not be applied:`, message, ...shown()];
    throw new CommandError(EXIT_DATA, lines.join('\n'), { secrets });
  }
}

async function printDocument({ app }: CommandContext): Promise<Outcome> {
  const document = buildDocument(app, apiDocumentContent());
  return { result: document, lines: [JSON.stringify(document, null, 2)] };
}

async function writeDocs({ app }: CommandContext): Promise<Outcome> {
  const pages = new Map([
    ['docs/scopes.md', scopeTable(buildDocument(app, apiDocumentContent()))],
    ['docs/events.md', eventTable()],
    ['docs/personal-data.md', personalDataPage()],
    ['docs/configuration.md', configurationPage()],
    ['.env.example', environmentExample()],
  ]);
  for (const [path, content] of pages) await writeFile(path, content);
  return { result: { written: [...pages.keys()] }, lines: [] };
}
