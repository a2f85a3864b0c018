import type { DataSource } from 'typeorm';
import {
  type CommandContext,
  CommandError,
  type CommandTools,
  EXIT_DATA,
  EXIT_FAILED,
  type Outcome,
  ProgressReport,
} from './command.js';
import {
  CheckpointFile,
  CheckpointVerifier,
  LedgerCheckpoints,
  LedgerVerifier,
  PayloadErasuresService,
} from '../modules/action-ledger/index.js';
import { Clock } from '../platform/clock/clock.js';
import type { Env } from '../platform/config/env.js';
import { asSystem } from '../platform/context/request-context.js';
import { Database } from '../platform/database/database.js';
import { createKekProvider } from '../platform/keys/configured-keks.js';

/** Only reads the database: it runs no migration, and works whether or not the service is running. */
export async function verifyLedger(dataSource: DataSource, env: Env, tools: CommandTools): Promise<Outcome> {
  const database = new Database(dataSource, new Clock(env));
  const file = new CheckpointFile(env.ledgerCheckpointFile);
  const keks = memoized(() => createKekProvider(env));
  const verifier = new LedgerVerifier(database, new CheckpointVerifier(database, file, keks));
  const progress = new ProgressReport(tools, 'verifying the ledger', 'chains');
  const onChain = (verified: number, all: number) => progress.update(verified, all);
  const { nextChain: _nextChain, ...result } = await verifier.verify({ onChain });
  progress.end();
  const { entries, erasedPayloads, breaks, findings, checkpoints, newestCheckpointAt } = result;
  if (entries === 0 && breaks.length === 0) {
    const message = 'The action ledger is empty. Check that this is the intended database (DATABASE_URL, DATA_DIR).';
    throw new CommandError(EXIT_FAILED, message, result);
  }
  const newest = newestCheckpointAt === null ? '' : `, the newest of ${newestCheckpointAt}`;
  const lines = [
    `Verified ${entries} entries, of which ${erasedPayloads} have erased payloads, and ${checkpoints} checkpoints${newest}`,
    ...breaks.map(({ chain, position, entryId, fault }) => {
      return `chain ${chain}, position ${position}${entryId ? `, ${entryId}` : ''}: ${fault}`;
    }),
    ...findings.map(({ code, chain, position, entryId, message }) => {
      return `${code}: ${message}${chain === null ? '' : ` (chain ${chain}, position ${position}, ${entryId})`}`;
    }),
  ];
  const ok = breaks.length === 0 && findings.length === 0;
  const broken = `${breaks.length} chains of the action ledger are broken; the list shows the first fault of each`;
  const faults = breaks.length > 0 ? [broken] : [];
  return { exitCode: ok ? 0 : EXIT_FAILED, result: { ok, ...result }, lines, faults };
}

export async function checkpointLedger({ app, options }: CommandContext): Promise<Outcome> {
  const checkpoints = app.get(LedgerCheckpoints);
  try {
    await asSystem(() => checkpoints.write({ restored: options.find('restored') ?? null }));
  } catch (error) {
    throw new CommandError(EXIT_FAILED, `No checkpoint was written: ${String((error as Error).message)}`);
  }
  const newest = (await checkpoints.newest()) ?? '';
  return { result: { newest }, lines: [newest] };
}

export async function erasePayloads({ app, options }: CommandContext): Promise<Outcome> {
  const entryIds = options.list('entryIds');
  try {
    const erasureId = await asSystem(() => app.get(PayloadErasuresService).erase(entryIds, options.get('reason')));
    const entries = new Set(entryIds).size;
    const lines = [`Erased the payloads of ${entries} entries; recorded as ${erasureId}`];
    return { result: { erasureId, entries }, lines };
  } catch (error) {
    const { message, details } = error as Error & { details?: object };
    throw new CommandError(
      EXIT_DATA,
      `Nothing was erased: ${message} ${details ? JSON.stringify(details) : ''}`,
      details,
    );
  }
}

function memoized<T>(create: () => T): () => T {
  let created: { value: T } | undefined;
  return () => (created ??= { value: create() }).value;
}
