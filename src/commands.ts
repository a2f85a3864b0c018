import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { DataSource } from 'typeorm';
import { apiDocumentContent } from './api-document.js';
import { connect, readMigrationSettings, readProcessEnv, runProcess } from './boot.js';
import { createApp } from './configure-app.js';
import { eventTable } from './domain-events.js';
import { runFileMove } from './file-commands.js';
import { firstStart } from './first-start.js';
import { revokeSigningKeys, rewrapKeys, rotateSigningKey } from './key-commands.js';
import { migrateDatabase, prepareSchema } from './migration.js';
import {
  CheckpointFile,
  CheckpointVerifier,
  LedgerCheckpoints,
  LedgerVerifier,
  PayloadErasuresService,
} from './modules/action-ledger/index.js';
import { SecondFactorsService } from './modules/identity/index.js';
import { configurationPage, environmentExample } from './platform/config/configuration-page.js';
import type { Env } from './platform/config/env.js';
import { personalDataPage } from './personal-data.js';
import { asSystem } from './platform/context/request-context.js';
import { Clock } from './platform/clock/clock.js';
import { Database } from './platform/database/database.js';
import { AppError } from './platform/errors/app-error.js';
import { createKekProvider } from './platform/keys/configured-keks.js';
import { createLog } from './platform/observability/log.js';
import { buildDocument } from './platform/openapi/document.js';
import { Provisioning } from './platform/provisioning/provisioning.js';
import { scopeTable } from './scope-table.js';

/** Exit codes of sysexits(3). */
const USAGE_ERROR = 64;
const DATA_ERROR = 65;
const BROKEN_LEDGER = 1;

const SCOPES = 'docs/scopes.md';
const EVENTS = 'docs/events.md';

interface CommandContext {
  app: NestExpressApplication;
  env: Env;
  words: string[];
}

interface Command {
  parameters: string;
  purpose: string;
  run: (context: CommandContext) => Promise<number>;
  /** Instead of `run`: for a command that only reads the database and needs no application. */
  runOn?: (dataSource: DataSource, env: Env) => Promise<number>;
  /** Instead of `run`: for a command that reads its own settings and opens what it needs. */
  runAlone?: (words: string[]) => Promise<number>;
}

const commands: Record<string, Command> = {
  migrate: {
    parameters: '',
    purpose: 'applies the pending database migrations; needs only the settings of the database',
    run: async () => 0,
    runAlone: applyMigrations,
  },
  demo: {
    parameters: '',
    purpose: 'creates what a first start creates: owner, keys, demo data, credentials.json',
    run: async ({ app, env }) => {
      await firstStart(app, env);
      return 0;
    },
  },
  provision: {
    parameters: '<file.json>',
    purpose: 'creates or updates rows that no endpoint creates; safe to repeat',
    run: provision,
  },
  'keys:rotate': {
    parameters: '',
    purpose: 'replaces the key that signs links and cursors; those that exist stay valid for a day',
    run: ({ app }) => rotateSigningKey(app),
  },
  'keys:revoke': {
    parameters: '',
    purpose: 'replaces the key that signs links and cursors at once; those that exist are invalid',
    run: ({ app }) => revokeSigningKeys(app),
  },
  'keys:rewrap': {
    parameters: '',
    purpose: 'wraps all stored keys with the primary key-encryption key and names those that need another one',
    run: ({ app }) => rewrapKeys(app),
  },
  'ledger:verify': {
    parameters: '',
    purpose: 'verifies that no entry of the action ledger was changed, deleted or inserted',
    run: async () => 0,
    runOn: verifyLedger,
  },
  'ledger:checkpoint': {
    parameters: '[--restored "<reason>"]',
    purpose: 'signs the heads of the action ledger if entries were added, and prints the newest checkpoint',
    run: checkpointLedger,
  },
  'ledger:erase': {
    parameters: '"<reason>" <entry id>...',
    purpose: 'erases the states before and after of entries, and records that',
    run: erasePayloads,
  },
  'second-factor:remove': {
    parameters: '<e-mail>',
    purpose: 'removes the second factor of a user who lost app and recovery codes, and ends their sessions',
    run: removeSecondFactor,
  },
  'files:move': {
    parameters: '[--delete-source]',
    purpose: 'copies files from FILES_FALLBACK to FILES_URL and verifies them; safe to repeat',
    run: async () => 0,
    runAlone: (words) => runFileMove(readProcessEnv(), words),
  },
  openapi: {
    parameters: '',
    purpose: 'prints the API document',
    run: async ({ app }) => {
      process.stdout.write(`${JSON.stringify(buildDocument(app, apiDocumentContent()), null, 2)}\n`);
      return 0;
    },
  },
  docs: {
    parameters: '',
    purpose: 'writes the generated pages of docs/ and .env.example',
    run: async ({ app }) => {
      await writeFile(SCOPES, scopeTable(buildDocument(app, apiDocumentContent())));
      await writeFile(EVENTS, eventTable());
      await writeFile('docs/personal-data.md', personalDataPage());
      await writeFile('docs/configuration.md', configurationPage());
      await writeFile('.env.example', environmentExample());
      return 0;
    },
  },
};

async function applyMigrations(): Promise<number> {
  const { applied, schemaVersion, oldestBuild } = await migrateDatabase(readMigrationSettings(), {
    waiting: () => process.stdout.write('Another process is migrating; waiting for it\n'),
    started: (name, position, total) => process.stdout.write(`  ${position} of ${total}  ${name}\n`),
    repeated: (name) => process.stdout.write(`  ${name} waits for transactions that lock its tables\n`),
  });
  const done = applied.length === 0 ? 'No migration is pending' : `Applied ${applied.length} migrations`;
  process.stdout.write(
    `${done}. The schema has version ${schemaVersion}; builds from ${oldestBuild ?? schemaVersion} on may run on it\n`,
  );
  return 0;
}

/** Only reads the database: runs no migration and works while the service is running or not. */
async function verifyLedger(dataSource: DataSource, env: Env): Promise<number> {
  const database = new Database(dataSource, new Clock(env));
  const file = new CheckpointFile(env.ledgerCheckpointFile);
  const keks = memoized(() => createKekProvider(env));
  const verifier = new LedgerVerifier(database, new CheckpointVerifier(database, file, keks));
  const { entries, erasedPayloads, breaks, findings, checkpoints, newestCheckpointAt } = await verifier.verify();
  if (entries === 0 && breaks.length === 0) {
    process.stderr.write(
      'The action ledger is empty. Check that this is the intended database (DATABASE_URL, DATA_DIR).\n',
    );
    return BROKEN_LEDGER;
  }
  const newest = newestCheckpointAt === null ? '' : `, the newest of ${newestCheckpointAt}`;
  process.stdout.write(
    `Verified ${entries} entries, of which ${erasedPayloads} have erased payloads, and ${checkpoints} checkpoints${newest}\n`,
  );
  for (const { chain, position, entryId, fault } of breaks) {
    process.stdout.write(`chain ${chain}, position ${position}${entryId ? `, ${entryId}` : ''}: ${fault}\n`);
  }
  for (const { code, chain, position, entryId, message } of findings) {
    const place = chain === null ? '' : ` (chain ${chain}, position ${position}, ${entryId})`;
    process.stdout.write(`${code}: ${message}${place}\n`);
  }
  if (breaks.length === 0 && findings.length === 0) return 0;
  if (breaks.length > 0) {
    process.stderr.write(
      `${breaks.length} chains of the action ledger are broken; the list shows the first fault of each\n`,
    );
  }
  return BROKEN_LEDGER;
}

function memoized<T>(create: () => T): () => T {
  let created: { value: T } | undefined;
  return () => (created ??= { value: create() }).value;
}

async function checkpointLedger({ app, words: [option, reason, ...rest] }: CommandContext): Promise<number> {
  const restored = option === '--restored' && reason?.trim() && rest.length === 0 ? reason.trim() : null;
  if (option !== undefined && restored === null) return usageError('Expected no parameter, or --restored "<reason>".');
  const checkpoints = app.get(LedgerCheckpoints);
  try {
    await asSystem(() => checkpoints.write({ restored }));
  } catch (error) {
    process.stderr.write(`No checkpoint was written: ${String((error as Error).message)}\n`);
    return BROKEN_LEDGER;
  }
  process.stdout.write(`${(await checkpoints.newest()) ?? ''}\n`);
  return 0;
}

async function erasePayloads({ app, words: [reason, ...entryIds] }: CommandContext): Promise<number> {
  if (!reason?.trim() || entryIds.length === 0) return usageError('Expected a reason and the ids of entries.');
  try {
    const erasureId = await asSystem(() => app.get(PayloadErasuresService).erase(entryIds, reason));
    process.stdout.write(`Erased the payloads of ${new Set(entryIds).size} entries; recorded as ${erasureId}\n`);
    return 0;
  } catch (error) {
    const { message, details } = error as Error & { details?: object };
    process.stderr.write(`Nothing was erased: ${message} ${details ? JSON.stringify(details) : ''}\n`);
    return DATA_ERROR;
  }
}

async function removeSecondFactor({ app, words: [email, ...rest] }: CommandContext): Promise<number> {
  if (email === undefined || rest.length > 0) return usageError('Expected the e-mail address of a user.');
  try {
    await asSystem(() => app.get(SecondFactorsService).removeByAddress(email));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    process.stderr.write('No active user with a second factor has this address\n');
    return DATA_ERROR;
  }
  process.stdout.write('Removed the second factor and ended all sessions of the user\n');
  return 0;
}

async function provision({ app, words: [path] }: CommandContext): Promise<number> {
  if (path === undefined) return usageError('The command provision requires a file.');
  let done: string[];
  try {
    const document: unknown = JSON.parse(await readFile(path, 'utf8'));
    done = await app.get(Provisioning).apply(document);
  } catch (error) {
    process.stderr.write(`${path} could not be applied:\n${String((error as Error).message).replace(/^/gm, '  ')}\n`);
    return DATA_ERROR;
  }
  process.stdout.write(`${done.map((line) => `  ${line}\n`).join('')}`);
  return 0;
}

function usageError(message: string): number {
  const lines = Object.entries(commands).map(
    ([name, { parameters, purpose }]) => `  ${`${name} ${parameters}`.padEnd(24)} ${purpose}\n`,
  );
  process.stderr.write(`${message} Commands:\n${lines.join('')}`);
  return USAGE_ERROR;
}

async function run(command: Command, words: string[]): Promise<number> {
  if (command.runAlone) return command.runAlone(words);
  // Only the service runs jobs, writes checkpoints at an interval and reports errors, not a command.
  const env: Env = { ...readProcessEnv(), jobs: false, ledgerCheckpoints: false, errorReporter: null };
  if (!command.runOn) await prepareSchema(env);
  const dataSource = await connect(env);
  if (command.runOn) return command.runOn(dataSource, env).finally(() => dataSource.destroy());
  const app = await createApp({ env, dataSource, log: createLog('warn', process.stderr) });
  await app.init();
  try {
    return await command.run({ app, env, words });
  } finally {
    await app.close();
  }
}

await runProcess(async () => {
  const [name = '', ...words] = process.argv.slice(2);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  process.exitCode = command
    ? await run(command, words)
    : usageError(name ? `Unknown command ${name}.` : 'No command was given.');
});
