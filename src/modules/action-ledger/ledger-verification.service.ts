import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { ActorType } from '../../platform/context/actor.js';
import { Database } from '../../platform/database/database.js';
import { CHAINS, chainOf, entryDigest, genesisOf, payloadDigest } from './sealed-entry.js';

/** The first entry of a chain at which the ledger no longer adds up, and why. */
export interface Break {
  chain: number;
  position: number;
  entryId: string | null;
  fault: string;
}

export interface Verification {
  entries: number;
  /** Payloads that were erased; their digests still prove what they were. */
  erasedPayloads: number;
  breaks: Break[];
}

interface StoredEntry {
  id: string;
  position: string;
  action: string;
  subject_type: string;
  subject_id: string;
  actor_type: ActorType;
  actor_id: string;
  reason: string | null;
  reverses_entry_id: string | null;
  correlation_id: string;
  created_at: Date;
  digest: Buffer;
  hash: Buffer;
  before: string | null;
  after: string | null;
  payload_digest: Buffer | null;
}

const BATCH = 1_000;

/** Proves that no entry was changed, removed or slipped in since it was written. */
@Injectable()
export class LedgerVerification {
  constructor(private readonly database: Database) {}

  /** Walks all chains from their first entry to their head, in batches. */
  async verify(): Promise<Verification> {
    const result: Verification = { entries: 0, erasedPayloads: 0, breaks: [] };
    for (let chain = 0; chain < CHAINS; chain += 1) {
      const broken = await this.walk(chain, result);
      if (broken) result.breaks.push(broken);
    }
    return result;
  }

  private async walk(chain: number, result: Verification): Promise<Break | null> {
    // Read before the entries: writers go on, and a head that is older than its entries proves what it covers.
    const head = await this.head(chain);
    let [position, hash] = [0, genesisOf(chain)];
    while (position < head.position) {
      const batch = await this.read(chain, position, Math.min(head.position, position + BATCH));
      if (batch.length === 0) return { chain, position: position + 1, entryId: null, fault: 'the entry is missing' };
      for (const entry of batch) {
        const fault = this.faultOf(entry, { chain, position: position + 1, previous: hash });
        if (fault) return { chain, position: position + 1, entryId: entry.id, fault };
        [position, hash] = [position + 1, entry.hash];
        result.entries += 1;
        if (isErased(entry)) result.erasedPayloads += 1;
      }
    }
    return hash.equals(head.hash) ? null : { chain, position, entryId: null, fault: 'the head is another entry' };
  }

  private faultOf(entry: StoredEntry, at: { chain: number; position: number; previous: Buffer }): string | null {
    if (Number(entry.position) !== at.position) return `position ${at.position} is missing`;
    if (chainOf(entry.subject_type, entry.subject_id) !== at.chain) return 'the subject belongs to another chain';
    if (!entry.payload_digest) return 'the payload is missing';
    if (!isErased(entry) && !payloadDigest(entry.before, entry.after).equals(entry.payload_digest)) {
      return 'the payload was changed';
    }
    if (!digestOf(entry, entry.payload_digest).equals(entry.digest)) return 'the entry was changed';
    const hash = createHash('sha256').update(at.previous).update(entry.digest).digest();
    return hash.equals(entry.hash) ? null : 'the hash does not follow from the entry before';
  }

  private async head(chain: number): Promise<{ position: number; hash: Buffer }> {
    const [row] = await this.database.query<{ position: string; hash: Buffer }>(
      'select position, hash from ledger_heads where chain = $1',
      [chain],
    );
    return { position: Number(row?.position ?? 0), hash: row?.hash ?? Buffer.alloc(0) };
  }

  private read(chain: number, after: number, upTo: number): Promise<StoredEntry[]> {
    // The payload's texts as they were digested: json keeps the letters, a parsed value would not.
    return this.database.query<StoredEntry>(
      `select entry.id, entry.position, entry.action, entry.subject_type, entry.subject_id, entry.actor_type,
              entry.actor_id, entry.reason, entry.reverses_entry_id, entry.correlation_id, entry.created_at,
              entry.digest, entry.hash, payload.before::text as before, payload.after::text as after,
              payload.digest as payload_digest
       from action_ledger_entries entry left join ledger_payloads payload on payload.entry_id = entry.id
       where entry.chain = $1 and entry.position > $2 and entry.position <= $3 order by entry.position`,
      [chain, after, upTo],
    );
  }
}

const NOTHING = payloadDigest(null, null);

function isErased(entry: StoredEntry): boolean {
  return entry.before === null && entry.after === null && entry.payload_digest?.equals(NOTHING) === false;
}

function digestOf(entry: StoredEntry, payload: Buffer): Buffer {
  return entryDigest(
    {
      id: entry.id,
      action: entry.action,
      subjectType: entry.subject_type,
      subjectId: entry.subject_id,
      actorType: entry.actor_type,
      actorId: entry.actor_id,
      reason: entry.reason,
      reversesEntryId: entry.reverses_entry_id,
      correlationId: entry.correlation_id,
      createdAt: entry.created_at,
    },
    payload,
  );
}
