import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Env } from '../../../platform/config/env.js';
import { unavailable } from '../../../platform/errors/app-error.js';
import { open, seal } from './aes-gcm.js';
import { findLocalKek, makeLocalKek } from './local-kek.js';
import type { KeyEncryption, KeySlot, WrappedKey } from './key-encryption.js';

/** Key-encryption keys that this process holds itself: those of the environment, outside production also the local one. */
export class HeldKeks implements KeyEncryption {
  private readonly keks: ReadonlyMap<string, KeyObject>;

  constructor(
    keks: Iterable<readonly [id: string, key: Buffer]>,
    readonly primaryId: string,
  ) {
    this.keks = new Map([...keks].map(([id, key]) => [id, createSecretKey(key)]));
  }

  async wrap(slot: KeySlot, key: Buffer): Promise<WrappedKey> {
    const kekId = this.primaryId;
    return { kekId, wrappedKey: seal(this.binding(slot, kekId), key) };
  }

  async unwrap(slot: KeySlot, { kekId, wrappedKey }: WrappedKey): Promise<Buffer> {
    const key = open(this.binding(slot, kekId), wrappedKey);
    if (!key) throw unavailable('The key-encryption key is wrong');
    return key;
  }

  private binding({ vaultId, version }: KeySlot, kekId: string): { key: KeyObject; aad: Buffer } {
    const key = this.keks.get(kekId);
    if (!key) throw unavailable('The key-encryption key is missing');
    return { key, aad: Buffer.from(`vault-dek|${vaultId}|${version}|${kekId}`) };
  }
}

/**
 * The keys of the environment. Outside production a local one is made where there are none, and still opens what it
 * wrapped once there are. Throws ConfigurationError where its file is damaged.
 */
export function heldKeks(env: Env): HeldKeks {
  const { dataDir, production, vaultKeks, vaultKekPrimary } = env;
  const needsLocal = !production && vaultKeks.size === 0;
  const local = production ? null : needsLocal ? makeLocalKek(dataDir) : findLocalKek(dataDir);
  const primaryId = vaultKekPrimary ?? local?.id;
  if (primaryId === undefined) throw new Error('No primary key-encryption key: readEnv lets nobody get here');
  return new HeldKeks([...(local ? [[local.id, local.key] as const] : []), ...vaultKeks], primaryId);
}
