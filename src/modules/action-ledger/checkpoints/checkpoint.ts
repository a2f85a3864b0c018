import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { KekProvider } from '../../../platform/keys/kek-provider.js';

/** The last entry of a chain: its position and its hash in hex. Chains without entries are omitted. */
export type Head = readonly [chain: number, position: number, hash: string];

/** The JSON of a line of the checkpoint file. */
export interface Checkpoint {
  version: 1;
  /** Starts at 1. */
  number: number;
  at: string;
  heads: readonly Head[];
  /** SHA-256 of the previous line, in hex; null in the first line. */
  previous: string | null;
  /**
   * The operator's reason for accepting that the database has fewer entries than earlier checkpoints recorded; null if it never
   * had fewer.
   */
  restored: string | null;
  keyId: string;
  /** HMAC-SHA-256 of the canonical JSON (RFC 8785) of the other members, in base64url. */
  mac: string;
}

const PURPOSE = 'ledger-checkpoint';

/** Returns the line of a checkpoint, without the line feed. */
export async function signedLine(
  members: Omit<Checkpoint, 'version' | 'keyId' | 'mac'>,
  keks: KekProvider,
): Promise<string> {
  const body = { version: 1 as const, ...members, keyId: keks.primaryId };
  const { mac } = await keks.mac(PURPOSE, bytesOf(body));
  return JSON.stringify({ ...body, mac: mac.toString('base64url') });
}

export async function isSigned({ mac, ...body }: Checkpoint, keks: KekProvider): Promise<boolean> {
  return keks.verifyMac(PURPOSE, bytesOf(body), { kekId: body.keyId, mac: Buffer.from(mac, 'base64url') });
}

/** Returns the SHA-256 of a line in hex, as the next line and the database record it. */
export function digestOf(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/** Parses a line; null if it is malformed. */
export function parseCheckpoint(line: string): Checkpoint | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  return isCheckpoint(value) ? value : null;
}

function isCheckpoint(value: unknown): value is Checkpoint {
  if (typeof value !== 'object' || value === null) return false;
  const member = (name: keyof Checkpoint): unknown => Reflect.get(value, name);
  const heads = member('heads');
  return (
    member('version') === 1 &&
    Number.isSafeInteger(member('number')) &&
    typeof member('at') === 'string' &&
    Array.isArray(heads) &&
    heads.every(isHead) &&
    isTextOrNull(member('previous')) &&
    isTextOrNull(member('restored')) &&
    typeof member('keyId') === 'string' &&
    typeof member('mac') === 'string'
  );
}

function isHead(value: unknown): value is Head {
  if (!Array.isArray(value) || value.length !== 3) return false;
  return Number.isSafeInteger(value[0]) && Number.isSafeInteger(value[1]) && typeof value[2] === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function bytesOf(body: object): Buffer {
  return Buffer.from(canonicalize(body) ?? '');
}
