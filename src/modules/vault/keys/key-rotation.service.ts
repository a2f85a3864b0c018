import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { VaultAudit } from '../audit/vault-audit.service.js';
import type { KeySlot } from './key-encryption.js';
import { LIVE_STATES, MAX_LIVE_VERSIONS } from './key-version.entity.js';
import { NewKeys } from './new-keys.js';

const STANDING = `
  select vault.latest_version as latest, count(*)::int as live,
    max(key.created_at) filter (where key.state = 'pending') as "pendingSince"
  from vaults as vault left join vault_key_versions as key on key.vault_id = vault.id and key.state = any ($2)
  where vault.id = $1 group by vault.id`;
interface Standing {
  latest: number;
  live: number;
  pendingSince: Date | null;
}

/**
 * Gives a vault its next key in two steps, so that no node meets a version that it does not know: the new one is
 * `pending`, which decrypts only, and becomes `primary` when every node's cache has seen it.
 */
@Injectable()
export class KeyRotation {
  constructor(
    private readonly database: Database,
    private readonly newKeys: NewKeys,
    private readonly audit: VaultAudit,
  ) {}

  /**
   * Makes the next version, unless one is pending already. Returns since when it is; null where the vault has 16 live
   * versions, the most that a decryption tries.
   */
  async begin(vaultId: string): Promise<Date | null> {
    const [standing] = await this.database.query<Standing>(STANDING, [vaultId, LIVE_STATES]);
    if (!standing || standing.pendingSince || standing.live >= MAX_LIVE_VERSIONS) return standing?.pendingSince ?? null;

    const key = await this.newKeys.make({ vaultId, version: standing.latest + 1 }, 'pending');
    await this.database.transaction(async () => {
      const { count } = await this.database.execute(
        'update vaults set latest_version = $2 where id = $1 and latest_version = $2 - 1',
        [vaultId, key.version],
      );
      // None: another node was faster, and its key is as good as ours.
      if (count === 0) return;
      await this.database.insert(key);
      this.tell('rotation_begin', key);
    });
    return key.createdAt;
  }

  /** Lets a pending version encrypt; the one before it decrypts from now on. Nothing happens where that is done. */
  async complete({ vaultId, version }: KeySlot): Promise<void> {
    await this.database.transaction(async () => {
      const { count } = await this.database.execute(
        `select from vault_key_versions where vault_id = $1 and version = $2 and state = 'pending' for update`,
        [vaultId, version],
      );
      if (count === 0) return;
      await this.database.execute(
        `update vault_key_versions set state = 'decrypt_only' where vault_id = $1 and state = 'primary'`,
        [vaultId],
      );
      await this.database.execute(
        `update vault_key_versions set state = 'primary' where vault_id = $1 and version = $2`,
        [vaultId, version],
      );
      this.tell('rotation_complete', { vaultId, version });
    });
  }

  private tell(operation: 'rotation_begin' | 'rotation_complete', { vaultId, version }: KeySlot): void {
    this.audit.recordChange({ operation, vaultId, keyVersion: version });
  }
}
