import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { VaultAudit } from '../audit/vault-audit.service.js';
import type { KnownVault } from '../vaults/known-vault.js';
import { Vaults } from '../vaults/vaults.service.js';
import { KeyRotation } from './key-rotation.service.js';
import { KeyVersion, LIVE_STATES, MAX_LIVE_VERSIONS } from './key-version.entity.js';
import { UnwrappedKeys } from './unwrapped-keys.js';

const MOST_VERSIONS = 1_000;

/** A vault's keys, as those see them who look after them. */
@Injectable()
export class KeyVersions {
  constructor(
    private readonly database: Database,
    private readonly vaults: Vaults,
    private readonly rotation: KeyRotation,
    private readonly keys: UnwrappedKeys,
    private readonly audit: VaultAudit,
  ) {}

  /** Newest first. Throws 404. */
  async list(slug: string): Promise<KeyVersion[]> {
    const { id: vaultId } = await this.vaults.getAnew(slug);
    const order = { version: 'DESC' } as const;
    return this.database.repository(KeyVersion).find({ where: { vaultId }, order, take: MOST_VERSIONS });
  }

  /**
   * The next version, pending, or the one that is pending already. Throws 404, 409 `vault_archived`, `key_limit_reached`.
   */
  async rotate(slug: string): Promise<KeyVersion> {
    const vault = await this.getInUse(slug);
    if (!(await this.rotation.begin(vault.id))) {
      throw conflict(
        'key_limit_reached',
        `The vault has ${MAX_LIVE_VERSIONS} versions that decrypt; disable one first`,
      );
    }
    const pending = await this.database.repository(KeyVersion).findOneBy({ vaultId: vault.id, state: 'pending' });
    this.vaults.forget(slug);
    // Between the two it can only have become primary, which takes minutes.
    if (!pending) throw new Error('The version that was begun is not there');
    return pending;
  }

  /** Throws 404, 409 `vault_archived`, `key_in_use`, `key_destroyed`, `key_limit_reached`. */
  async change(slug: string, version: number, state: 'disabled' | 'decrypt_only'): Promise<KeyVersion> {
    const { id: vaultId } = await this.getInUse(slug);
    const changed = await this.database.transaction(async () => {
      // Two changes at once could exceed what a decryption tries.
      await this.database.query('select from vaults where id = $1 for update', [vaultId]);
      const versions = await this.database.repository(KeyVersion).findBy({ vaultId });
      const found = versions.find((one) => one.version === version);
      if (!found) throw notFound();
      if (found.state === state) return found;
      assertChangeable(found, state, versions);
      await this.database.repository(KeyVersion).update({ vaultId, version }, { state });
      const operation = state === 'disabled' ? 'key_disable' : 'key_enable';
      this.audit.recordChange({ operation, vaultId, keyVersion: version });
      return Object.assign(found, { state });
    });
    this.keys.forget({ vaultId, version });
    this.vaults.forget(slug);
    return changed;
  }

  private async getInUse(slug: string): Promise<KnownVault> {
    const vault = await this.vaults.getAnew(slug);
    if (vault.archived) throw conflict('vault_archived', 'The vault is archived');
    return vault;
  }
}

function assertChangeable(key: KeyVersion, state: 'disabled' | 'decrypt_only', all: readonly KeyVersion[]): void {
  if (key.state === 'destroyed') throw conflict('key_destroyed', 'The key of this version is destroyed');
  if (key.state === 'primary' || key.state === 'pending') {
    throw conflict('key_in_use', 'A primary or pending version cannot be changed; rotate first');
  }
  const live = all.filter((one) => LIVE_STATES.some((liveState) => liveState === one.state));
  if (state === 'decrypt_only' && live.length >= MAX_LIVE_VERSIONS) {
    throw conflict('key_limit_reached', `The vault has ${MAX_LIVE_VERSIONS} versions that decrypt; disable one first`);
  }
}
