import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';

export const KEY_STATES = named('VaultKeyState', ['pending', 'primary', 'decrypt_only', 'disabled', 'destroyed']);
export type KeyState = (typeof KEY_STATES)[number];

/** States in which a key opens what it sealed. Only `primary` seals. */
export const LIVE_STATES = ['pending', 'primary', 'decrypt_only'] as const satisfies readonly KeyState[];
export type LiveState = (typeof LIVE_STATES)[number];

/** The envelope does not say which version made it: a decryption tries that many at most. */
export const MAX_LIVE_VERSIONS = 16;

/** One data-encryption key of a vault, wrapped; a destroyed one is gone. */
@Entity('vault_key_versions')
export class KeyVersion {
  @PrimaryColumn('text', { name: 'vault_id' }) vaultId: string;
  @PrimaryColumn('integer') version: number;
  @Column('text') state: KeyState;
  @Column('text', { name: 'kek_id', nullable: true }) kekId: string | null;
  @Column('bytea', { name: 'wrapped_key', nullable: true }) wrappedKey: Buffer | null;
  /** How many encryptions nodes have taken out for themselves; never more than 2^32. */
  @Column('bigint', { transformer: safeInteger }) reserved: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
