import { pino } from 'pino';
import { readProcessEnv } from '../bootstrap/boot.js';
import {
  CommandError,
  type CommandOptions,
  type CommandTools,
  EXIT_FAILED,
  type Outcome,
  ProgressReport,
} from './command.js';
import { ConfigurationError } from '../platform/config/configuration-error.js';
import type { Env } from '../platform/config/env.js';
import { openFileStores } from '../platform/files/configured-files.js';
import type { MovableFiles } from '../platform/files/file-store.js';
import { MoveInterrupted, moveFiles, type MoveReport, sizeOf } from '../platform/files/move-files.js';

interface MoveOptions {
  deletesSource: boolean;
  /** Called before the first file, with the totals of the source. */
  onStart: (source: { files: number; bytes: number }) => void;
  /** Called after each file, with the number of its bytes. */
  onFile: (sizeBytes: number) => void;
}

/**
 * Moves the files of FILES_FALLBACK to the store of FILES_URL; it can be interrupted and repeated at any time. Throws
 * `ConfigurationError` without FILES_FALLBACK, `MoveInterrupted` with the report so far if a store fails for half a minute, and
 * 503 if one is not usable at the beginning.
 */
async function moveConfiguredFiles(env: Env, options: MoveOptions): Promise<MoveReport> {
  const { files: to, fallback: from } = await openFileStores(env, {
    diskSpace: { reportFull: () => undefined, isFull: () => false },
    log: pino({ level: 'silent' }),
  });
  if (from === null) {
    throw new ConfigurationError([
      'FILES_FALLBACK: is missing; expected the store from which files are moved to FILES_URL; for example FILES_FALLBACK=local',
    ]);
  }
  try {
    const source = await sizeOf(from);
    await assertUsable(to);
    options.onStart(source);
    return await moveFiles({ from, to, ...options });
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

/** The command `files move`. */
export async function moveFilesCommand(options: CommandOptions, tools: CommandTools): Promise<Outcome> {
  const progress = new ProgressReport(tools, 'moving files', 'files');
  let [done, all] = [0, 0];
  try {
    const report = await moveConfiguredFiles(readProcessEnv(), {
      deletesSource: options.has('deleteSource'),
      onStart: ({ files, bytes }) => {
        tools.note(`${files} files with ${bytes} bytes are in the source`);
        all = files;
      },
      onFile: () => progress.update((done += 1), all),
    });
    return outcomeOf(report);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const report = error instanceof MoveInterrupted ? error.report : undefined;
    if (report) for (const line of [...outcomeOf(report).lines, ...damagedIn(report)]) tools.note(line);
    throw new CommandError(
      EXIT_FAILED,
      `The move was interrupted: ${reasonOf(error)}. Run it again to continue.`,
      report,
    );
  } finally {
    progress.end();
  }
}

/** Returns the reason for a failure, which is the cause of the error for callers of the API. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  // The error of a connection to several addresses has only a code.
  const message = error.message || String(Reflect.get(error, 'code') ?? '');
  return error.name === 'Error' || message.includes(error.name) ? message : `${error.name}: ${message}`;
}

/** Reads the first file names, because the response to this call names the reason of a rejection. */
async function assertUsable(store: MovableFiles): Promise<void> {
  await store.list()[Symbol.asyncIterator]().next();
}

function outcomeOf(report: MoveReport): Outcome {
  const { copied, copiedBytes, present, deleted, damaged } = report;
  const done = `Copied and verified ${copied} files with ${copiedBytes} bytes; ${present} were there; deleted ${deleted} from the source`;
  return { exitCode: damaged.length === 0 ? 0 : EXIT_FAILED, result: report, lines: [done], faults: damagedIn(report) };
}

function damagedIn({ damaged }: MoveReport): string[] {
  return damaged.map((key) => `${key}: damaged in the source, not copied`);
}
