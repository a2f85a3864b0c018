import { setImmediate } from 'node:timers/promises';
import { Database } from '../../../platform/database/database.js';
import { CHAINS, genesisOf } from '../entries/sealed-entry.js';
import { faultOf, isErased, type StoredEntry } from './stored-entry.js';

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
  /** The first chain that was not verified within the time; null if all were. */
  nextChain: number | null;
}

/** The chains to verify, and the time after which no further chain is begun. */
export interface VerificationRange {
  from?: number;
  to?: number;
  withinMs?: number;
}

interface Head {
  position: number;
  hash: Buffer;
  /** The first entry after the head. */
  beyond: { position: number; entryId: string } | null;
}

const BATCH = 1_000;
/** Entries digested at once: other requests wait no longer than that. */
const SLICE = 100;
const MISSING = 'the entry is missing';

/** Proves that no entry was changed, removed or inserted since it was written. Only reads. */
export class LedgerVerifier {
  constructor(private readonly database: Database) {}

  /** Verifies chains, by default all, from the first entry to the head, in batches. Concurrent writers are not blocked. */
  async verify({ from = 0, to = CHAINS - 1, withinMs = Infinity }: VerificationRange = {}): Promise<Verification> {
    const result: Verification = { entries: 0, erasedPayloads: 0, breaks: [], nextChain: null };
    const end = performance.now() + withinMs;
    for (let chain = from; chain <= to; chain += 1) {
      if (chain > from && performance.now() >= end) return { ...result, nextChain: chain };
      const broken = await this.findBreak(chain, result);
      if (broken) result.breaks.push({ chain, ...broken });
    }
    return result;
  }

  private async findBreak(chain: number, result: Verification): Promise<Omit<Break, 'chain'> | null> {
    // Read before the entries, so that it covers only entries that are read.
    const head = await this.findHead(chain);
    if (!head) return { position: 1, entryId: null, fault: 'the head is missing' };

    let [position, previous] = [0, genesisOf(chain)];
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
        if (position % SLICE === 0) await setImmediate();
      }
    }
    if (head.beyond) return { ...head.beyond, fault: 'the head does not cover the entry' };
    return previous.equals(head.hash) ? null : { position, entryId: null, fault: 'the head is not the last entry' };
  }

  private async findHead(chain: number): Promise<Head | null> {
    // In one statement, so that the head covers all entries of its chain.
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
    // The texts of the payload as they were digested: `json` preserves them, a parsed value does not.
    return this.database.query<StoredEntry>(
      `select entry.id, entry.sequence, entry.position, entry.action, entry.subject_type, entry.subject_id,
              entry.actor_type, entry.actor_id, entry.reason, entry.reverses_entry_id, entry.correlation_id,
              entry.server_request_id, entry.created_at, entry.digest, entry.hash, payload.before::text as before,
              payload.after::text as after, payload.digest as payload_digest
       from action_ledger_entries entry left join ledger_payloads payload on payload.entry_id = entry.id
       where entry.chain = $1 and entry.position > $2 and entry.position <= $3 order by entry.position`,
      [chain, after, upTo],
    );
  }
}
