import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { ActorType } from '../../platform/context/actor.js';

/** What an entry's digest covers, beside its payload's digest. */
export interface EntryFacts {
  id: string;
  action: string;
  subjectType: string;
  subjectId: string;
  actorType: ActorType;
  actorId: string;
  reason: string | null;
  reversesEntryId: string | null;
  correlationId: string;
  createdAt: Date;
}

export const CHAINS = 64;

/** The chain that a subject's entries stand in: unrelated writers do not queue for one head. */
export function chainOf(subjectType: string, subjectId: string): number {
  return createHash('sha256').update(`${subjectType}\n${subjectId}`).digest().readUInt8(0) % CHAINS;
}

/** What a chain's first entry follows. */
export function genesisOf(chain: number): Buffer {
  return createHash('sha256').update(`ledger-chain-${chain}`).digest();
}

/** SHA-256 of the canonical JSON (RFC 8785) of the payload's texts. They are digested as stored, to the letter. */
export function payloadDigest(before: string | null, after: string | null): Buffer {
  return sha256({ before, after });
}

/** SHA-256 of the canonical JSON (RFC 8785) of the entry, its sequence and its payload's digest. */
export function entryDigest(entry: EntryFacts, sequence: number, payload: Buffer): Buffer {
  return sha256({ ...sealed(entry, payload), sequence });
}

/**
 * The canonical JSON of an entry in the two parts between which its sequence stands: the database draws that while it
 * writes the entry, and digests the whole.
 */
export function aroundSequence(entry: EntryFacts, payload: Buffer): [before: string, after: string] {
  // In canonical JSON members stand in the order of their names, and `sequence` is followed by the subject.
  const { subjectId, subjectType, ...earlier } = sealed(entry, payload);
  return [`${canonical(earlier).slice(0, -1)},"sequence":`, `,${canonical({ subjectId, subjectType }).slice(1)}`];
}

function sealed(entry: EntryFacts, payload: Buffer) {
  return { ...entry, createdAt: entry.createdAt.toISOString(), payload: payload.toString('hex') };
}

function sha256(value: object): Buffer {
  return createHash('sha256').update(canonical(value)).digest();
}

function canonical(value: object): string {
  return canonicalize(value) ?? '';
}
