import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Env } from '../../../platform/config/env.js';
import { unavailable } from '../../../platform/errors/app-error.js';
import { open, seal } from './aes-gcm.js';
import { findLocalKek, makeLocalKek } from './local-kek.js';
import type { KeyEncryption, KeySlot, WrappedKey } from './key-encryption.js';

/** Key-encryption keys of the environment and, outside production, of the local file. */
export class EnvironmentKeks implements KeyEncryption {
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
 * Outside production, a local key is created if the environment has none; it keeps unwrapping what it wrapped when the
 * environment has one later. Throws ConfigurationError if its file is damaged.
 */
export function environmentKeks(env: Env): EnvironmentKeks {
  const { dataDir, production, vaultKeks, vaultKekPrimary } = env;
  const needsLocal = !production && vaultKeks.size === 0;
  const local = production ? null : needsLocal ? makeLocalKek(dataDir) : findLocalKek(dataDir);
  const primaryId = vaultKekPrimary ?? local?.id;
  if (primaryId === undefined) throw new Error('No primary key-encryption key, which readEnv should have rejected');
  return new EnvironmentKeks([...(local ? [[local.id, local.key] as const] : []), ...vaultKeks], primaryId);
}
