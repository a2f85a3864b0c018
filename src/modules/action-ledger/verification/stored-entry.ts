import { createHash } from 'node:crypto';
import type { ActorType } from '../../../platform/context/actor.js';
import { RECORDED_SUFFIX, type ReversalOutcome, type ReversalState } from '../entries/reversal-handlers.js';
import type { Finding } from './finding.js';
import { chainOf, entryDigest, payloadDigest } from '../entries/sealed-entry.js';

/** An entry as stored, with the exact texts of its payload. */
export interface StoredEntry {
  id: string;
  sequence: string;
  position: string;
  action: string;
  subject_type: string;
  subject_id: string;
  actor_type: ActorType;
  actor_id: string;
  reason: string | null;
  reverses_entry_id: string | null;
  correlation_id: string;
  server_request_id: string | null;
  created_at: Date;
  digest: Buffer;
  hash: Buffer;
  before: string | null;
  after: string | null;
  /** Null if the row of the payload is missing. */
  payload_digest: Buffer | null;
  /** Whether the erasure of the payload is recorded by an entry with its digest; null if no erasure is known. */
  erasure_recorded: boolean | null;
  /** The row of the reversal if this entry is one; null otherwise. */
  reversal: {
    original: string;
    state: ReversalState;
    outcome: ReversalOutcome | null;
    /** The states that the entries about this reversal recorded, each with its outcome. */
    recorded: { state: string; outcome: string | null }[];
  } | null;
}

const EMPTY_DIGEST = payloadDigest(null, null);

/** Returns whether the payload was erased; its digest remains. */
export function isErased(entry: StoredEntry): boolean {
  return entry.before === null && entry.after === null && entry.payload_digest?.equals(EMPTY_DIGEST) === false;
}

/** Returns the fault of the entry that follows the hash `previous` in this chain; null if it is unchanged. */
export function faultOf(entry: StoredEntry, { chain, previous }: { chain: number; previous: Buffer }): string | null {
  const { payload_digest: payload } = entry;
  if (!payload) return 'the payload is missing';
  if (!isErased(entry) && !payloadDigest(entry.before, entry.after).equals(payload)) return 'the payload was changed';
  if (!digestOf(entry, payload).equals(entry.digest)) return 'the entry was changed';
  if (chainOf(entry.subject_type, entry.subject_id) !== chain) return 'the entry belongs to another chain';
  const hash = createHash('sha256').update(previous).update(entry.digest).digest();
  return hash.equals(entry.hash) ? null : 'the hash does not follow from the entry before';
}

function digestOf(entry: StoredEntry, payload: Buffer): Buffer {
  const members = {
    id: entry.id,
    action: entry.action,
    subjectType: entry.subject_type,
    subjectId: entry.subject_id,
    actorType: entry.actor_type,
    actorId: entry.actor_id,
    reason: entry.reason,
    reversesEntryId: entry.reverses_entry_id,
    correlationId: entry.correlation_id,
    serverRequestId: entry.server_request_id,
    createdAt: entry.created_at,
  };
  return entryDigest(members, Number(entry.sequence), payload);
}

/** Returns the contradiction between the entry and the tables beside the chain; null if there is none. */
export function contradictionOf(entry: StoredEntry): Pick<Finding, 'code' | 'message'> | null {
  const erased = isErased(entry);
  if (erased && entry.erasure_recorded === null) {
    return { code: 'erased_without_record', message: 'The payload was erased, and no entry records that' };
  }
  if ((erased || entry.erasure_recorded !== null) && !(erased && entry.erasure_recorded)) {
    const message = erased
      ? 'The entry that records the erasure does not name it'
      : 'The payload is recorded as erased';
    return { code: 'erasure_mismatch', message };
  }
  const fault = reversalFault(entry);
  return fault === null ? null : { code: 'reversal_mismatch', message: fault };
}

function reversalFault({ action, reverses_entry_id: original, reversal }: StoredEntry): string | null {
  if (original === null) return reversal ? 'The entry reverses nothing, but a row of a reversal names it' : null;
  if (!reversal) return 'The row of the reversal is missing';
  if (reversal.original !== original) return 'The reversal record and the ledger entry name different reversed entries';
  const { state, outcome, recorded } = reversal;
  const ended = recorded.filter((each) => each.state !== 'running').at(-1);
  const expected = action.endsWith(RECORDED_SUFFIX)
    ? { state: 'recorded', outcome: null }
    : (ended ?? recorded.at(-1) ?? { state: 'completed', outcome: 'full' });
  const isSame = expected.state === state && (state !== 'completed' || (expected.outcome ?? 'full') === outcome);
  if (isSame) return null;
  return `The row of the reversal is ${describe(state, outcome)}; its entries say ${describe(expected.state, expected.outcome)}`;
}

function describe(state: string, outcome: string | null): string {
  return outcome === null ? state : `${state} (${outcome})`;
}
