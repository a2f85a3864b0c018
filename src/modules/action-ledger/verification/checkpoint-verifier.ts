import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../../platform/database/database.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { KekProvider } from '../../../platform/keys/kek-provider.js';
import { type Checkpoint, digestOf, isSigned, parseCheckpoint } from '../checkpoints/checkpoint.js';
import type { CheckpointFile } from '../checkpoints/checkpoint-file.js';
import type { Finding } from './finding.js';

/** Lines verified without a pause. Other requests wait this long at most. */
const SLICE = 20;

export interface ExpectedEntry {
  hash: string;
  checkpoint: Pick<Checkpoint, 'number' | 'at'>;
}

/** The heads of the chains that the signed checkpoints recorded. */
export interface Expectations {
  /** The number of signed checkpoints. */
  checkpoints: number;
  newestAt: string | null;
  /** Heads by chain and position. */
  entries: ReadonlyMap<number, ReadonlyMap<number, ExpectedEntry>>;
  findings: Finding[];
}

/** Reads the checkpoint file and verifies the signatures and order of its lines. Changes nothing. */
export class CheckpointVerifier {
  /** Calls `keks` only if there is a checkpoint. */
  constructor(
    private readonly database: Database,
    private readonly file: CheckpointFile,
    private readonly keks: () => KekProvider,
  ) {}

  async read(): Promise<Expectations> {
    // Read before the file: a line is written before its row.
    const [recorded] = await this.database.query<{ number: string; digest: string }>(
      `select number, encode(digest, 'hex') as digest from ledger_checkpoints order by number desc limit 1`,
    );
    const known = recorded ? { number: Number(recorded.number), digest: recorded.digest } : null;
    const lines = await this.file.lines();
    const reading = new Reading();
    for await (const line of lines ?? []) {
      await reading.add(line, this.keks());
      if (reading.lines % SLICE === 0) await setImmediate();
    }
    if (known) reading.expectRecorded(known, { isMissing: lines === null, path: this.file.path });
    else if (reading.lines === 0) reading.report('no_checkpoint', NO_CHECKPOINT);
    return reading.result();
  }
}

const NO_CHECKPOINT =
  'No checkpoint was written yet, so nothing outside the database proves the ledger; the service writes one when it starts';

/** The state while the lines are read in order. */
class Reading {
  lines = 0;
  private readonly findings: Finding[] = [];
  private readonly entries = new Map<number, Map<number, ExpectedEntry>>();
  private readonly digests = new Map<number, string>();
  private readonly signed: Pick<Checkpoint, 'number' | 'at'>[] = [];
  private last: { number: number; digest: string } = { number: 0, digest: '' };

  async add(line: string, keks: KekProvider): Promise<void> {
    this.lines += 1;
    const checkpoint = parseCheckpoint(line);
    if (!checkpoint) {
      this.report('checkpoint_invalid', `Line ${this.lines} of the checkpoint file is not a checkpoint`);
      return;
    }
    const { number, at, previous, restored, heads } = checkpoint;
    const fault = await signatureFault(checkpoint, keks);
    if (fault) {
      this.report(fault.code, `Line ${this.lines} of the checkpoint file, number ${number}: ${fault.message}`);
      return;
    }
    if (number !== this.last.number + 1) this.reportMissing(this.last.number + 1, number - 1);
    else if (previous !== (number === 1 ? null : this.last.digest)) {
      this.report('checkpoint_missing', `Checkpoint ${number} does not follow from the line before`);
    }
    if (restored !== null) this.forget(heads);
    for (const [chain, position, hash] of heads) {
      const known = this.entries.get(chain) ?? new Map<number, ExpectedEntry>();
      this.entries.set(chain, known);
      // The earliest checkpoint proves most.
      if (!known.has(position)) known.set(position, { hash, checkpoint: { number, at } });
    }
    this.last = { number, digest: digestOf(line) };
    this.digests.set(number, this.last.digest);
    this.signed.push({ number, at });
  }

  /** Compares the file with the newest checkpoint that the database knows. */
  expectRecorded(
    known: { number: number; digest: string },
    { isMissing, path }: { isMissing: boolean; path: string },
  ): void {
    if (isMissing) {
      const message = `The checkpoint file ${path} is missing; the database knows ${known.number} checkpoints. Restore the file, or correct LEDGER_CHECKPOINT_FILE`;
      this.report('checkpoint_file_missing', message);
    } else if (known.number > this.last.number) this.reportMissing(this.last.number + 1, known.number);
    else if (this.digests.has(known.number) && this.digests.get(known.number) !== known.digest) {
      this.report(
        'checkpoint_missing',
        `Checkpoint ${known.number} does not match the digest recorded in the database`,
      );
    }
  }

  report(code: Finding['code'], message: string): void {
    this.findings.push({ code, chain: null, position: null, entryId: null, message });
  }

  result(): Expectations {
    const newest = this.signed.at(-1);
    return {
      checkpoints: this.signed.length,
      newestAt: newest?.at ?? null,
      entries: this.entries,
      findings: this.findings,
    };
  }

  private reportMissing(from: number, to: number): void {
    const what = from >= to ? `Checkpoint ${to} is missing` : `The checkpoints ${from} to ${to} are missing`;
    this.report('checkpoint_missing', `${what} from the checkpoint file`);
  }

  /** After an accepted restore, entries beyond the restored heads are no longer expected. */
  private forget(heads: Checkpoint['heads']): void {
    const restored = new Map(heads.map(([chain, position]) => [chain, position]));
    for (const [chain, known] of this.entries) {
      for (const position of known.keys()) if (position > (restored.get(chain) ?? 0)) known.delete(position);
    }
  }
}

async function signatureFault(
  checkpoint: Checkpoint,
  keks: KekProvider,
): Promise<Pick<Finding, 'code' | 'message'> | null> {
  try {
    if (await isSigned(checkpoint, keks)) return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 503) throw error;
    const message = `the key-encryption key ${checkpoint.keyId}, which signed it, is not configured, so it was not verified`;
    return { code: 'checkpoint_key_missing', message };
  }
  return { code: 'checkpoint_forged', message: 'its signature is wrong' };
}
