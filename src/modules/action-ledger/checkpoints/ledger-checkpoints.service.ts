import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { KekProvider } from '../../../platform/keys/kek-provider.js';
import { LOG } from '../../../platform/observability/log.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import { type Checkpoint, digestOf, type Head, isSigned, parseCheckpoint, signedLine } from './checkpoint.js';
import { CheckpointFile } from './checkpoint-file.js';

/** Must differ from all other advisory locks. */
const LOCK_KEY = 7_120_020;
const MINUTE_MS = 60_000;

interface Line {
  text: string;
  checkpoint: Checkpoint;
}

interface Recorded {
  number: number;
  digest: string;
}

/** The database does not contain the entries that the newest checkpoint recorded. */
class LedgerDiffers extends Error {}

/**
 * Signs the heads of all chains at an interval and at shutdown, and appends them to a file outside the database. The owner of
 * the tables can replace a whole chain with matching hashes, but cannot sign its head.
 */
@Injectable()
export class LedgerCheckpoints implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly file: CheckpointFile;
  private readonly failures;
  private timer: NodeJS.Timeout | undefined;
  private isStarted = false;

  constructor(
    private readonly database: Database,
    private readonly keks: KekProvider,
    private readonly clock: Clock,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.file = new CheckpointFile(env.ledgerCheckpointFile);
    this.failures = metrics.counter({
      name: 'ledger_checkpoint_failures_total',
      help: 'Checkpoints of the action ledger that could not be written; any value above 0 needs an investigation',
    });
  }

  /** Commands start no timer; they write a checkpoint only on request. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.env.ledgerCheckpoints) return;
    this.isStarted = true;
    await this.writeOrLog();
    this.timer = setInterval(() => void this.writeOrLog(), this.env.ledgerCheckpointMinutes * MINUTE_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    if (this.isStarted) await this.writeOrLog();
  }

  /** Returns the line of the newest checkpoint in the file; null if there is none. */
  async newest(): Promise<string | null> {
    return this.file.lastLine();
  }

  /**
   * Appends a checkpoint unless no entry was added since the newest one. Throws LedgerDiffers if the database does not contain
   * the entries that the newest one recorded, so a changed ledger is never signed; `restored` is the operator's reason for
   * accepting it.
   */
  async write({ restored = null }: { restored?: string | null } = {}): Promise<void> {
    // Processes take turns, because a line contains the digest of the previous line.
    await this.database.transaction(async () => {
      await this.database.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
      const recorded = await this.findRecorded();
      const last = await this.findLast();
      const heads = await this.heads();
      if (restored === null && last) {
        if (last.checkpoint.number >= (recorded?.number ?? 0) && isSame(last.checkpoint.heads, heads)) return;
        await this.assertContained(last.checkpoint);
      }
      await this.append(heads, { last, recorded, restored });
    });
  }

  private async writeOrLog(): Promise<void> {
    try {
      await this.write();
    } catch (error) {
      this.failures.inc();
      const isTampered = error instanceof LedgerDiffers;
      this.log.error({ err: error }, isTampered ? error.message : 'a checkpoint of the action ledger was not written');
    }
  }

  private async append(
    heads: Head[],
    { last, recorded, restored }: { last: Line | null; recorded: Recorded | null; restored: string | null },
  ): Promise<void> {
    const fromFile = last ? { number: last.checkpoint.number, digest: digestOf(last.text) } : null;
    // The numbers of lost lines are not reused, so verification always reports the loss.
    const before = (fromFile?.number ?? 0) >= (recorded?.number ?? 0) ? fromFile : recorded;
    const at = this.clock.now();
    const number = (before?.number ?? 0) + 1;
    const previous = before?.digest ?? null;
    const line = await signedLine({ number, at: at.toISOString(), heads, previous, restored }, this.keks);
    await this.file.append(line);
    await this.database.execute(
      `insert into ledger_checkpoints (number, digest, created_at) values ($1, decode($2, 'hex'), $3)`,
      [number, digestOf(line), at],
    );
  }

  /** Returns the last line of the file if its signature is valid. */
  private async findLast(): Promise<Line | null> {
    const text = await this.file.lastLine();
    const checkpoint = text === null ? null : parseCheckpoint(text);
    if (text === null || checkpoint === null || !(await isSigned(checkpoint, this.keks))) return null;
    return { text, checkpoint };
  }

  private async findRecorded(): Promise<Recorded | null> {
    const [row] = await this.database.query<{ number: string; digest: string }>(
      `select number, encode(digest, 'hex') as digest from ledger_checkpoints order by number desc limit 1`,
    );
    return row ? { number: Number(row.number), digest: row.digest } : null;
  }

  private async heads(): Promise<Head[]> {
    const rows = await this.database.query<{ chain: number; position: string; hash: string }>(
      `select chain, position, encode(hash, 'hex') as hash from ledger_heads where position > 0 order by chain`,
    );
    return rows.map(({ chain, position, hash }) => [chain, Number(position), hash] as const);
  }

  private async assertContained({ number, at, heads }: Checkpoint): Promise<void> {
    const [row] = await this.database.query<{ chains: number }>(
      `select count(*)::int as chains
       from unnest($1::smallint[], $2::bigint[], $3::text[]) as head (chain, position, hash)
       left join action_ledger_entries entry on entry.chain = head.chain and entry.position = head.position
       where entry.hash is distinct from decode(head.hash, 'hex')`,
      [heads.map(([chain]) => chain), heads.map(([, position]) => position), heads.map(([, , hash]) => hash)],
    );
    if (row?.chains === 0) return;
    throw new LedgerDiffers(
      `the action ledger differs from checkpoint ${number} of ${at} in ${row?.chains} chains, so no further checkpoint is written: run platform ledger verify`,
    );
  }
}

function isSame(one: readonly Head[], other: readonly Head[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
