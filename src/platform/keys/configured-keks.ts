import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Env } from '../config/env.js';
import { unavailable } from '../errors/app-error.js';
import { open, seal } from './aes-gcm.js';
import { KekProvider, type Mac, type WrappedKey } from './kek-provider.js';
import { findLocalKek, makeLocalKek } from './local-kek.js';
import { TokenKeks } from './token-keks.js';

const KEY_BYTES = 32;

/** Key-encryption keys in the memory of the process: keys of the environment or of a file, and the local one. */
export class ConfiguredKeks extends KekProvider {
  private readonly keks: ReadonlyMap<string, KeyObject>;

  constructor(
    keks: Iterable<readonly [id: string, key: Buffer]>,
    readonly primaryId: string,
  ) {
    super();
    this.keks = new Map([...keks].map(([id, key]) => [id, createSecretKey(key)]));
  }

  async wrap(binding: string, key: Buffer): Promise<WrappedKey> {
    const kekId = this.primaryId;
    return { kekId, wrappedKey: seal(this.bound(binding, kekId), key) };
  }

  async unwrap(binding: string, { kekId, wrappedKey }: WrappedKey): Promise<Buffer> {
    const key = open(this.bound(binding, kekId), wrappedKey);
    if (!key) throw unavailable('The configured key-encryption key does not match');
    return key;
  }

  async mac(purpose: string, data: Buffer): Promise<Mac> {
    const kekId = this.primaryId;
    return { kekId, mac: this.hmac(purpose, data, kekId) };
  }

  async verifyMac(purpose: string, data: Buffer, { kekId, mac }: Mac): Promise<boolean> {
    const expected = this.hmac(purpose, data, kekId);
    return mac.length === expected.length && timingSafeEqual(mac, expected);
  }

  has(id: string): boolean {
    return this.keks.has(id);
  }

  private bound(binding: string, kekId: string): { key: KeyObject; aad: Buffer } {
    return { key: this.kek(kekId), aad: Buffer.from(`${binding}|${kekId}`) };
  }

  /** Uses a derived key (RFC 5869), so that no key is used with two algorithms or for two purposes. */
  private hmac(purpose: string, data: Buffer, kekId: string): Buffer {
    const derived = Buffer.from(hkdfSync('sha256', this.kek(kekId), '', `mac|${purpose}`, KEY_BYTES));
    const mac = createHmac('sha256', derived).update(data).digest();
    derived.fill(0);
    return mac;
  }

  private kek(id: string): KeyObject {
    const key = this.keks.get(id);
    if (!key) throw unavailable('The key-encryption key is missing');
    return key;
  }
}

/**
 * Combines keys of two providers; each key stays in its provider, so that stored keys can be moved from one provider to the
 * other.
 */
class KeksOfTwoPlaces extends KekProvider {
  constructor(
    private readonly configured: ConfiguredKeks,
    private readonly token: TokenKeks,
  ) {
    super();
  }

  get primaryId(): string {
    return this.configured.primaryId;
  }

  wrap(binding: string, key: Buffer): Promise<WrappedKey> {
    return this.placeOf(this.primaryId).wrap(binding, key);
  }

  unwrap(binding: string, wrapped: WrappedKey): Promise<Buffer> {
    return this.placeOf(wrapped.kekId).unwrap(binding, wrapped);
  }

  mac(purpose: string, data: Buffer): Promise<Mac> {
    return this.placeOf(this.primaryId).mac(purpose, data);
  }

  verifyMac(purpose: string, data: Buffer, mac: Mac): Promise<boolean> {
    return this.placeOf(mac.kekId).verifyMac(purpose, data, mac);
  }

  private placeOf(kekId: string): KekProvider {
    return this.configured.has(kekId) ? this.configured : this.token;
  }
}

/**
 * The provider that `KEK_PROVIDER` selects. Except in production, a local key is created if none is configured; it still
 * unwraps keys that it wrapped when other keys are configured later. Throws ConfigurationError if its file is damaged, or a
 * token cannot be used.
 */
export function createKekProvider(env: Env): KekProvider {
  const { dataDir, production, keks, kekPrimary, kekToken } = env;
  const needsLocal = !production && kekPrimary === null;
  const local = production ? null : needsLocal ? makeLocalKek(dataDir) : findLocalKek(dataDir);
  const primaryId = kekPrimary ?? local?.id;
  if (primaryId === undefined) throw new Error('No primary key-encryption key, which readEnv should have rejected');
  const configured = new ConfiguredKeks([...(local ? [[local.id, local.key] as const] : []), ...keks], primaryId);
  if (kekToken === null) return configured;
  const isPrimary = !configured.has(primaryId);
  return new KeksOfTwoPlaces(configured, TokenKeks.open(kekToken, { primaryId, isPrimary }));
}
