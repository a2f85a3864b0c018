import { setTimeout as pause } from 'node:timers/promises';
import { DamagedFile, type MovableFiles, type StoredFile } from './file-store.js';

const AT_ONCE = 4;
/** A failing store is retried for about half a minute. */
const RETRY_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000];

export interface Move {
  from: MovableFiles;
  to: MovableFiles;
  /** Delete each file from the source once the target is verified to have it. */
  deletesSource: boolean;
  /** Called after each file, with the number of its bytes. */
  onFile?: (sizeBytes: number) => void;
}

export interface MoveReport {
  /** Files that were copied and verified, and their bytes. */
  copied: number;
  copiedBytes: number;
  /** Files that the target had already; they were verified as well. */
  present: number;
  deleted: number;
  /** Keys of files whose bytes in the source do not have this SHA-256. They are neither copied nor deleted. */
  damaged: string[];
}

/** A store failed for too long. Copied files stay valid, and another run continues. */
export class MoveInterrupted extends Error {
  constructor(
    readonly report: MoveReport,
    override readonly cause: unknown,
  ) {
    super('The move was interrupted');
    this.name = 'MoveInterrupted';
  }
}

/** The number of files in a store and their bytes. */
export async function sizeOf(store: MovableFiles): Promise<{ files: number; bytes: number }> {
  const size = { files: 0, bytes: 0 };
  for await (const { sizeBytes } of store.list()) {
    size.files += 1;
    size.bytes += sizeBytes;
  }
  return size;
}

/**
 * Copies each file that the target does not have, and verifies each in the target. It can be repeated after it was ended
 * at any point, and run while the service uses both stores.
 */
export async function moveFiles(move: Move): Promise<MoveReport> {
  const report: MoveReport = { copied: 0, copiedBytes: 0, present: 0, deleted: 0, damaged: [] };
  const files = move.from.list()[Symbol.asyncIterator]();
  const failing = new AbortController();
  const work = async () => {
    try {
      for (let next = await files.next(); !next.done && !failing.signal.aborted; next = await files.next()) {
        await moveFile(next.value, move, report);
        move.onFile?.(next.value.sizeBytes);
      }
    } catch (error) {
      failing.abort();
      throw error;
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw new MoveInterrupted(report, failure.reason);
  return report;
}

async function moveFile(file: StoredFile, move: Move, report: MoveReport): Promise<void> {
  const { from, to, deletesSource } = move;
  const result = await repeated(() => copyFile(file, from, to));
  if (result === 'damaged') report.damaged.push(file.key);
  if (result === 'present') report.present += 1;
  if (result === 'copied') {
    report.copied += 1;
    report.copiedBytes += file.sizeBytes;
  }
  if (deletesSource && (result === 'present' || result === 'copied')) {
    await repeated(() => from.delete(file.key));
    report.deleted += 1;
  }
}

/** The file is gone: another run has moved it. */
async function copyFile(
  file: StoredFile,
  from: MovableFiles,
  to: MovableFiles,
): Promise<'copied' | 'present' | 'damaged' | 'gone'> {
  if ((await to.verify(file.key)) === 'whole') return 'present';
  const source = await from.open(file.key);
  if (!source) return 'gone';
  try {
    await to.copy({ key: file.key, sizeBytes: source.sizeBytes }, source.stream);
  } catch (error) {
    if (error instanceof DamagedFile && (await from.verify(file.key)) === 'damaged') return 'damaged';
    throw error;
  }
  const state = await to.verify(file.key);
  if (state !== 'whole') throw new Error(`The copy of ${file.key} is ${state}`);
  return 'copied';
}

async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (const delay of RETRY_AFTER_MS) {
    try {
      return await work();
    } catch {
      await pause(delay);
    }
  }
  return work();
}
