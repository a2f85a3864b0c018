import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { ActorType } from '../../../platform/context/actor.js';

/** The members that the digest of an entry covers, in addition to the digest of its payload. */
export interface SealedMembers {
  id: string;
  action: string;
  subjectType: string;
  subjectId: string;
  actorType: ActorType;
  actorId: string;
  reason: string | null;
  reversesEntryId: string | null;
  correlationId: string;
  /** Null in entries of earlier versions; their digest has no such member. */
  serverRequestId: string | null;
  createdAt: Date;
}

export const CHAINS = 64;

/** Returns the chain of a subject's entries. Several chains prevent unrelated writers from waiting for one head. */
export function chainOf(subjectType: string, subjectId: string): number {
  return createHash('sha256').update(`${subjectType}\n${subjectId}`).digest().readUInt8(0) % CHAINS;
}

/** The hash before the first entry of a chain. */
export function genesisOf(chain: number): Buffer {
  return createHash('sha256').update(`ledger-chain-${chain}`).digest();
}

/** Returns the SHA-256 of the canonical JSON (RFC 8785) of the payload's texts, exactly as stored. */
export function payloadDigest(before: string | null, after: string | null): Buffer {
  return sha256({ before, after });
}

/** Returns the SHA-256 of the canonical JSON (RFC 8785) of the entry, its sequence and its payload's digest. */
export function entryDigest(entry: SealedMembers, sequence: number, payload: Buffer): Buffer {
  return sha256({ ...sealed(entry, payload), sequence });
}

/**
 * Returns the canonical JSON of an entry in two parts, before and after the value of its sequence: the database assigns the
 * sequence when it writes the entry, and digests the whole.
 */
export function aroundSequence(entry: SealedMembers, payload: Buffer): [before: string, after: string] {
  // Canonical JSON sorts members by name; only these follow `sequence`.
  const { serverRequestId, subjectId, subjectType, ...earlier } = sealed(entry, payload);
  const later = { ...(serverRequestId === undefined ? {} : { serverRequestId }), subjectId, subjectType };
  return [`${canonical(earlier).slice(0, -1)},"sequence":`, `,${canonical(later).slice(1)}`];
}

function sealed({ serverRequestId, ...entry }: SealedMembers, payload: Buffer) {
  return {
    ...entry,
    ...(serverRequestId === null ? {} : { serverRequestId }),
    createdAt: entry.createdAt.toISOString(),
    payload: payload.toString('hex'),
  };
}

function sha256(value: object): Buffer {
  return createHash('sha256').update(canonical(value)).digest();
}

function canonical(value: object): string {
  return canonicalize(value) ?? '';
}
