import type { WrappedKey } from '../../../platform/keys/kek-provider.js';
import { KEY_LIFETIME_MS, type KeySlot, type LiveState } from '../keys/key-version.entity.js';

/** A version that decrypts. */
export interface LiveVersion extends KeySlot, WrappedKey {
  readonly state: LiveState;
  readonly createdAt: Date;
}

/** A vault as a process caches it. */
export interface VaultSnapshot {
  readonly id: string;
  readonly archived: boolean;
  /** Newest first. */
  readonly versions: readonly LiveVersion[];
}

/** The version that encrypts, or null. */
export function findPrimary({ versions }: VaultSnapshot): LiveVersion | null {
  return versions.find(({ state }) => state === 'primary') ?? null;
}

/** The pending version, and the time at which it can become primary, in milliseconds since 1970. */
export function findPending({ versions }: VaultSnapshot): { version: LiveVersion; readyAt: number } | null {
  const version = versions.find(({ state }) => state === 'pending');
  return version ? { version, readyAt: version.createdAt.getTime() + KEY_LIFETIME_MS } : null;
}

/** A row of the vault joined with its active versions; a vault without any has one row whose `version` is null. */
export interface VaultRecordRow {
  id: string;
  archived: boolean;
  version: number | null;
  state: LiveState;
  kekId: string;
  wrappedKey: Buffer;
  createdAt: Date;
}

export function toVaultSnapshot(rows: readonly VaultRecordRow[]): VaultSnapshot | null {
  const [first] = rows;
  if (!first) return null;
  const { id, archived } = first;
  const versions = rows.flatMap(({ version, state, kekId, wrappedKey, createdAt }) =>
    version === null ? [] : [{ vaultId: id, version, state, kekId, wrappedKey, createdAt }],
  );
  return { id, archived, versions };
}
