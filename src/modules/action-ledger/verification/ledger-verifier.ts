import { setImmediate } from 'node:timers/promises';
import { Database } from '../../../platform/database/database.js';
import { CHAINS, genesisOf } from '../entries/sealed-entry.js';
import { ERASURE_ACTION } from '../erasures/payload-erasures.service.js';
import type { CheckpointVerifier, ExpectedEntry, Expectations } from './checkpoint-verifier.js';
import type { Finding } from './finding.js';
import { contradictionOf, faultOf, isErased, type StoredEntry } from './stored-entry.js';

/** The first broken position of a chain. */
export interface Break {
  chain: number;
  position: number;
  /** Null if the entry is missing. */
  entryId: string | null;
  fault: string;
}

export interface Verification {
  /** The number of unchanged entries. */
  entries: number;
  /** Erased payloads, whose digests are still verified. */
  erasedPayloads: number;
  breaks: Break[];
  /** Contradictions between the ledger and checkpoints, erasures or reversals; at most `MAX_FINDINGS`. */
  findings: Finding[];
  /** The signed checkpoints that were read. */
  checkpoints: number;
  newestCheckpointAt: string | null;
  /** The first chain that was not verified within the time; null if all were. */
  nextChain: number | null;
}

/** The chains to verify, and the time after which the verifier starts no further chain. */
export interface VerificationRange {
  from?: number;
  to?: number;
  withinMs?: number;
  /** Called after each chain. */
  onChain?: (verified: number, all: number) => void;
}

interface Head {
  position: number;
  hash: Buffer;
  /** The first entry after the head. */
  beyond: { position: number; entryId: string } | null;
}

/** The states of a reversal in the order in which its entries recorded them. */
const RECORDED_STATES = `
  select coalesce(json_agg(json_build_object('state', content.after ->> 'state', 'outcome', content.after ->> 'outcome')
                           order by record.sequence), '[]')
  from action_ledger_entries record join ledger_payloads content on content.entry_id = record.id
  where record.subject_type = 'ledger_entry' and record.subject_id = entry.id
    and record.action in ('action-ledger.reversal.start', 'action-ledger.reversal.complete',
                          'action-ledger.reversal.fail')`;

const BATCH = 1_000;
/** Entries digested without a pause. Other requests wait this long at most. */
const SLICE = 100;
const MISSING = 'the entry is missing';
export const MAX_FINDINGS = 100;

/** Matches chains whose end the checkpoints know but the database does not. */
interface ShortChain {
  missing: number;
  checkpoint: { number: number; at: string };
}

/**
 * Proves that no entry was changed, removed or inserted since it was written, and that the signed checkpoints, the records of
 * erasures and the rows of reversals agree with the entries. Changes nothing.
 */
export class LedgerVerifier {
  constructor(
    private readonly database: Database,
    private readonly checkpoints: CheckpointVerifier,
  ) {}

  /** Verifies chains, by default all, from the first entry to the head, in batches. Concurrent writers are not blocked. */
  async verify({
    from = 0,
    to = CHAINS - 1,
    withinMs = Infinity,
    onChain,
  }: VerificationRange = {}): Promise<Verification> {
    const end = performance.now() + withinMs;
    const expected = await this.checkpoints.read();
    const result: Verification = {
      entries: 0,
      erasedPayloads: 0,
      breaks: [],
      findings: [...expected.findings, ...(await this.findStrayReversals())],
      checkpoints: expected.checkpoints,
      newestCheckpointAt: expected.newestAt,
      nextChain: null,
    };
    const short: ShortChain[] = [];
    for (let chain = from; chain <= to && result.nextChain === null; chain += 1) {
      if (chain > from && performance.now() >= end) result.nextChain = chain;
      else await this.verifyChain(chain, { result, short, expected });
      onChain?.(chain - from + 1, to - from + 1);
    }
    if (short.length > 0) result.findings.push(olderThanCheckpoint(short));
    result.findings.splice(MAX_FINDINGS);
    return result;
  }

  private async verifyChain(
    chain: number,
    { result, short, expected }: { result: Verification; short: ShortChain[]; expected: Expectations },
  ): Promise<void> {
    // The head is read before the entries, so that it covers only entries that are read.
    const head = await this.findHead(chain);
    const known = expected.entries.get(chain) ?? new Map<number, never>();
    const broken = head
      ? await this.findBreak(chain, { head, result, known })
      : { position: 1, entryId: null, fault: 'the head is missing' };
    if (broken) result.breaks.push({ chain, ...broken });
    const last = head?.position ?? 0;
    const beyond = [...known].filter(([position]) => position > last).sort(([one], [other]) => other - one);
    const [furthest] = beyond;
    if (furthest) short.push({ missing: furthest[0] - last, checkpoint: furthest[1].checkpoint });
  }

  private async findBreak(
    chain: number,
    { head, result, known }: { head: Head; result: Verification; known: ReadonlyMap<number, ExpectedEntry> },
  ): Promise<Omit<Break, 'chain'> | null> {
    let [position, previous, differs] = [0, genesisOf(chain), false];
    while (position < head.position) {
      const batch = await this.read(chain, position, Math.min(head.position, position + BATCH));
      if (batch.length === 0) return { position: position + 1, entryId: null, fault: MISSING };
      for (const entry of batch) {
        position += 1;
        if (Number(entry.position) !== position) return { position, entryId: null, fault: MISSING };
        const fault = faultOf(entry, { chain, previous });
        if (fault) return { position, entryId: entry.id, fault };
        previous = entry.hash;
        result.entries += 1;
        if (isErased(entry)) result.erasedPayloads += 1;
        const contradiction = contradictionOf(entry);
        if (contradiction) result.findings.push({ ...contradiction, chain, position, entryId: entry.id });
        const expectation = known.get(position);
        if (expectation && !differs && entry.hash.toString('hex') !== expectation.hash) {
          differs = true;
          result.findings.push(differsFromCheckpoint({ chain, position, entryId: entry.id }, expectation));
        }
        if (position % SLICE === 0) await setImmediate();
      }
    }
    if (head.beyond) return { ...head.beyond, fault: 'the head does not cover the entry' };
    return previous.equals(head.hash) ? null : { position, entryId: null, fault: 'the head is not the last entry' };
  }

  /** Finds rows of reversals without the two entries that they connect. */
  private async findStrayReversals(): Promise<Finding[]> {
    const rows = await this.database.query<{ id: string }>(
      `select reversal.id from ledger_reversals reversal
       where not exists (select from action_ledger_entries entry
                         where entry.id = reversal.reversal_id and entry.reverses_entry_id = reversal.original_id)
       order by reversal.id limit $1`,
      [MAX_FINDINGS],
    );
    return rows.map(({ id }) => {
      const message = `No entry belongs to the row ${id} of a reversal`;
      return { code: 'reversal_mismatch', chain: null, position: null, entryId: null, message };
    });
  }

  private async findHead(chain: number): Promise<Head | null> {
    // Uses one statement, so that the head covers all entries of its chain.
    const [row] = await this.database.query<{ position: string; hash: Buffer; beyond: Head['beyond'] }>(
      `select position, hash, (select json_build_object('position', entry.position, 'entryId', entry.id)
                               from action_ledger_entries entry
                               where entry.chain = head.chain and entry.position > head.position
                               order by entry.position limit 1) as beyond
       from ledger_heads head where chain = $1`,
      [chain],
    );
    return row ? { ...row, position: Number(row.position) } : null;
  }

  private read(chain: number, after: number, upTo: number): Promise<StoredEntry[]> {
    // Selects the texts of the payload as they were digested: `json` preserves them, a parsed value does not.
    return this.database.query<StoredEntry>(
      `select entry.id, entry.sequence, entry.position, entry.action, entry.subject_type, entry.subject_id,
              entry.actor_type, entry.actor_id, entry.reason, entry.reverses_entry_id, entry.correlation_id,
              entry.server_request_id, entry.created_at, entry.digest, entry.hash, payload.before::text as before,
              payload.after::text as after, payload.digest as payload_digest,
              (select exists (select from action_ledger_entries record
                              join ledger_payloads content on content.entry_id = record.id,
                              json_array_elements(content.after -> 'entries') as listed
                              where record.id = erasure.erasure_id and record.action = '${ERASURE_ACTION}'
                                and listed ->> 'id' = entry.id and listed ->> 'digest' = encode(payload.digest, 'hex'))
               from ledger_erasures erasure where erasure.entry_id = entry.id) as erasure_recorded,
              (select json_build_object('original', reversal.original_id, 'state', reversal.state,
                                        'outcome', reversal.outcome, 'recorded', (${RECORDED_STATES}))
               from ledger_reversals reversal where reversal.reversal_id = entry.id) as reversal
       from action_ledger_entries entry left join ledger_payloads payload on payload.entry_id = entry.id
       where entry.chain = $1 and entry.position > $2 and entry.position <= $3 order by entry.position`,
      [chain, after, upTo],
    );
  }
}

function differsFromCheckpoint(
  place: { chain: number; position: number; entryId: string },
  { checkpoint }: ExpectedEntry,
): Finding {
  const message = `Checkpoint ${checkpoint.number} of ${checkpoint.at} recorded another entry or other entries before it: this chain was rewritten, or a backup was restored and other entries were added`;
  return { code: 'differs_from_checkpoint', ...place, message };
}

function olderThanCheckpoint(chains: readonly ShortChain[]): Finding {
  const newest = chains
    .map(({ checkpoint }) => checkpoint)
    .reduce((one, other) => (one.number > other.number ? one : other));
  const missing = chains.reduce((sum, chain) => sum + chain.missing, 0);
  const message = `The database is older than checkpoint ${newest.number} of ${newest.at}: ${missing} entries are missing at the end of ${chains.length} chains. Either an earlier backup was restored, or entries were deleted. See docs/operations/ledger.md`;
  return { code: 'older_than_checkpoint', chain: null, position: null, entryId: null, message };
}
