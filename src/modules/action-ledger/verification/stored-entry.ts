import { createHash } from 'node:crypto';
import type { ActorType } from '../../../platform/context/actor.js';
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
}

const EMPTY_DIGEST = payloadDigest(null, null);

/** Whether the payload was erased, which leaves its digest. */
export function isErased(entry: StoredEntry): boolean {
  return entry.before === null && entry.after === null && entry.payload_digest?.equals(EMPTY_DIGEST) === false;
}

/** The fault of the entry that follows the hash `previous` in this chain; null if it is unchanged. */
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
