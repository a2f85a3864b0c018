import { Injectable } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { Database } from '../../platform/database/database.js';
import { CHAINS, genesisOf } from './sealed-entry.js';
import { faultOf, isErased, type StoredEntry } from './stored-entry.js';

/** The first place of a chain at which the ledger no longer adds up, and why. */
export interface Break {
  chain: number;
  position: number;
  /** Null where there is no entry to name. */
  entryId: string | null;
  fault: string;
}

export interface Verification {
  /** Entries that are as they were written. */
  entries: number;
  /** Payloads that were erased; their digests still prove what they were. */
  erasedPayloads: number;
  breaks: Break[];
  /** The first chain that there was no time for; null where there was for all. */
  nextChain: number | null;
}

/** Which chains, and for how long: the chain at hand is always walked to its end. */
export interface Walk {
  from?: number;
  to?: number;
  withinMs?: number;
}

interface Head {
  position: number;
  hash: Buffer;
  /** The first entry that the head does not cover. */
  beyond: { position: number; entryId: string } | null;
}

const BATCH = 1_000;
/** Entries that are digested at once: whoever else is served waits no longer than that. */
const SLICE = 100;
const MISSING = 'the entry is missing';

/** Proves that no entry was changed, removed or slipped in since it was written. */
@Injectable()
export class LedgerVerification {
  constructor(private readonly database: Database) {}

  /** Walks chains, all unless told otherwise, from the first entry to the head, in batches. Writers may go on meanwhile. */
  async verify({ from = 0, to = CHAINS - 1, withinMs = Infinity }: Walk = {}): Promise<Verification> {
    const result: Verification = { entries: 0, erasedPayloads: 0, breaks: [], nextChain: null };
    const end = performance.now() + withinMs;
    for (let chain = from; chain <= to; chain += 1) {
      if (chain > from && performance.now() >= end) return { ...result, nextChain: chain };
      const broken = await this.walk(chain, result);
      if (broken) result.breaks.push({ chain, ...broken });
    }
    return result;
  }

  private async walk(chain: number, result: Verification): Promise<Omit<Break, 'chain'> | null> {
    // Read before the entries: a head that is older than they are proves what it covers.
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
    // One statement sees one moment, in which a head covers all entries of its chain.
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
    // The payload's texts as they were digested: json keeps the letters, a parsed value would not.
    return this.database.query<StoredEntry>(
      `select entry.id, entry.sequence, entry.position, entry.action, entry.subject_type, entry.subject_id,
              entry.actor_type, entry.actor_id, entry.reason, entry.reverses_entry_id, entry.correlation_id,
              entry.created_at, entry.digest, entry.hash, payload.before::text as before,
              payload.after::text as after, payload.digest as payload_digest
       from action_ledger_entries entry left join ledger_payloads payload on payload.entry_id = entry.id
       where entry.chain = $1 and entry.position > $2 and entry.position <= $3 order by entry.position`,
      [chain, after, upTo],
    );
  }
}
