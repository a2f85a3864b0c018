import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { safeInteger } from '../../../platform/database/columns.js';

export const KEY_STATES = named('VaultKeyState', [
  'pending',
  'primary',
  'decrypt_only',
  'disabled',
  'pending_destruction',
  'destroyed',
]);
export type KeyState = (typeof KEY_STATES)[number];

/** States in which a key decrypts. Only `primary` encrypts. */
export const LIVE_STATES = ['pending', 'primary', 'decrypt_only'] as const satisfies readonly KeyState[];
export type LiveState = (typeof LIVE_STATES)[number];

/** A ciphertext does not name its version, so a decryption tries up to 16. */
export const MAX_LIVE_VERSIONS = 16;

/** Time that a plaintext key stays in memory, and that a new version stays pending until all processes know it. */
export const KEY_LIFETIME_MS = 5 * 60 * 1000;

/** Identifies a data-encryption key. */
export interface KeySlot {
  readonly vaultId: string;
  readonly version: number;
}

/** Authenticated together with the wrapped key, so a key copied to another row does not unwrap. */
export function bindingOf({ vaultId, version }: KeySlot): string {
  return `vault-dek|${vaultId}|${version}`;
}

/** One data-encryption key of a vault, wrapped; the key of a destroyed version is null. */
@Entity('vault_key_versions')
@Unaudited('key material; the entries of its vault record it')
export class KeyVersion {
  @PrimaryColumn('text', { name: 'vault_id' }) vaultId: string;
  @PrimaryColumn('integer') version: number;
  @Column('text') state: KeyState;
  @Column('text', { name: 'kek_id', nullable: true }) kekId: string | null;
  @Column('bytea', { name: 'wrapped_key', nullable: true }) wrappedKey: Buffer | null;
  /** Number of encryptions reserved by processes; never more than 2^32. */
  @Column('bigint', { transformer: safeInteger }) reserved: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  /** Time at which the key is destroyed; null unless its destruction is pending. */
  @Column('timestamptz', { name: 'destroy_at', nullable: true }) destroyAt: Date | null;
}
