import { pino } from 'pino';
import { ConfigurationError } from './platform/config/configuration-error.js';
import type { Env } from './platform/config/env.js';
import { openFileStores } from './platform/files/configured-files.js';
import type { MovableFiles } from './platform/files/file-store.js';
import { MoveInterrupted, moveFiles, type MoveReport, sizeOf } from './platform/files/move-files.js';

const FAILED = 1;
const USAGE_ERROR = 64;
const REPORT_EVERY_MS = 5_000;
const OPTION = '--delete-source';

interface MoveOptions {
  deletesSource: boolean;
  /** Before the first file: what the source contains. */
  onStart?: (source: { files: number; bytes: number }) => void;
  /** After each file, with the number of its bytes. */
  onFile?: (sizeBytes: number) => void;
}

/**
 * Moves the files of FILES_FALLBACK to the store of FILES_URL; it can be ended and repeated at any time. Throws
 * `ConfigurationError` without FILES_FALLBACK, `MoveInterrupted` with the report so far if a store fails for half a minute,
 * and 503 if one is not usable at the beginning.
 */
async function moveConfiguredFiles(env: Env, options: MoveOptions): Promise<MoveReport> {
  const { files: to, fallback: from } = await openFileStores(env, {
    diskSpace: { reportFull: () => undefined },
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
    options.onStart?.(source);
    return await moveFiles({ from, to, ...options });
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

/** The command `files:move`. */
export async function runFileMove(env: Env, words: string[]): Promise<number> {
  if (words.some((word) => word !== OPTION)) {
    process.stderr.write(`Expected no parameter, or ${OPTION}\n`);
    return USAGE_ERROR;
  }
  try {
    return printed(await moveConfiguredFiles(env, { deletesSource: words.includes(OPTION), ...progress() }));
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    if (error instanceof MoveInterrupted) printed(error.report);
    process.stderr.write(`The move was interrupted: ${reasonOf(error)}. Run it again to continue.\n`);
    return FAILED;
  }
}

/** The reason of a failure, below the error for callers of the API. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  // The error of a connection to several addresses has a code only.
  const message = error.message || String(Reflect.get(error, 'code') ?? '');
  return error.name === 'Error' || message.includes(error.name) ? message : `${error.name}: ${message}`;
}

/** By reading the first file names, because the answer to this call names the reason of a rejection. */
async function assertUsable(store: MovableFiles): Promise<void> {
  await store.list()[Symbol.asyncIterator]().next();
}

function progress(): Pick<MoveOptions, 'onStart' | 'onFile'> {
  let total = 0;
  let done = 0;
  let last = performance.now();
  return {
    onStart: ({ files, bytes }) => {
      total = files;
      process.stdout.write(`${files} files with ${bytes} bytes are in the source\n`);
    },
    onFile: () => {
      done += 1;
      if (performance.now() - last < REPORT_EVERY_MS) return;
      last = performance.now();
      process.stderr.write(`${done} of ${total} files\n`);
    },
  };
}

function printed({ copied, copiedBytes, present, deleted, damaged }: MoveReport): number {
  process.stdout.write(
    `Copied and verified ${copied} files with ${copiedBytes} bytes; ${present} were there; deleted ${deleted} from the source\n`,
  );
  for (const key of damaged) process.stderr.write(`${key}: damaged in the source, not copied\n`);
  return damaged.length === 0 ? 0 : FAILED;
}
