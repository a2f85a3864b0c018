import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { VaultAuditService } from '../audit/vault-audit.service.js';
import { KeyVersion, LIVE_STATES, MAX_LIVE_VERSIONS } from '../keys/key-version.entity.js';
import { VaultKeysService } from '../keys/vault-keys.service.js';
import type { VaultSnapshot } from '../vaults/vault-snapshot.js';
import { VaultsService } from '../vaults/vaults.service.js';

const MAX_VERSIONS = 1_000;

/** Administration of a vault's key versions. */
@Injectable()
export class KeyVersionsService {
  constructor(
    private readonly database: Database,
    private readonly vaults: VaultsService,
    private readonly keys: VaultKeysService,
    private readonly audit: VaultAuditService,
  ) {}

  /** Newest first. */
  async list(slug: string): Promise<KeyVersion[]> {
    const { id: vaultId } = await this.vaults.getUncached(slug);
    const order = { version: 'DESC' } as const;
    return this.database.repository(KeyVersion).find({ where: { vaultId }, order, take: MAX_VERSIONS });
  }

  /** Returns the new pending version, or the one that is pending already. */
  async rotate(slug: string): Promise<KeyVersion> {
    const vault = await this.getInUse(slug);
    if (!(await this.keys.beginRotation(vault.id))) {
      throw conflict(
        'key_limit_reached',
        `The vault has ${MAX_LIVE_VERSIONS} versions that decrypt; disable one first`,
      );
    }
    const pending = await this.database.repository(KeyVersion).findOneBy({ vaultId: vault.id, state: 'pending' });
    this.vaults.forget(slug);
    // It stays pending for minutes.
    if (!pending) throw new Error('The pending version was not found');
    return pending;
  }

  async change(slug: string, version: number, state: 'disabled' | 'decrypt_only'): Promise<KeyVersion> {
    const { id: vaultId } = await this.getInUse(slug);
    const changed = await this.database.transaction(async () => {
      // Two concurrent changes could exceed the number of versions that a decryption tries.
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

  private async getInUse(slug: string): Promise<VaultSnapshot> {
    const vault = await this.vaults.getUncached(slug);
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
