import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { type AppError, conflict, notFound } from '../../../platform/errors/app-error.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import type { VaultOperation } from '../audit/audit-entry.js';
import { VaultAuditService } from '../audit/vault-audit.service.js';
import { type KeySlot, KeyVersion, LIVE_STATES, MAX_LIVE_VERSIONS } from '../keys/key-version.entity.js';
import { VaultKeysService } from '../keys/vault-keys.service.js';
import type { VaultSnapshot } from '../vaults/vault-snapshot.js';
import { VaultsService } from '../vaults/vaults.service.js';

const MAX_VERSIONS = 1_000;
const DAY_SECONDS = 24 * 60 * 60;

/** Administration of a vault's key versions. */
@Injectable()
export class KeyVersionsService {
  constructor(
    private readonly database: Database,
    private readonly vaults: VaultsService,
    private readonly keys: VaultKeysService,
    private readonly audit: VaultAuditService,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /** Newest first. */
  async list(slug: string): Promise<KeyVersion[]> {
    const { id: vaultId } = await this.vaults.getUncached(slug);
    const order = { version: 'DESC' } as const;
    return this.database.repository(KeyVersion).find({ where: { vaultId }, order, take: MAX_VERSIONS });
  }

  /** Returns the new pending version, or the one that is already pending. */
  async rotate(slug: string): Promise<KeyVersion> {
    const vault = await this.getInUse(slug);
    if (!(await this.keys.beginRotation(vault.id))) {
      throw conflict(
        'key_limit_reached',
        `The vault already has ${MAX_LIVE_VERSIONS} key versions that decrypt; disable one first`,
      );
    }
    const pending = await this.database.repository(KeyVersion).findOneBy({ vaultId: vault.id, state: 'pending' });
    this.database.afterCommit(() => this.vaults.forget(slug));
    // It stays pending for minutes.
    if (!pending) throw new Error('The pending version was not found');
    return pending;
  }

  async change(slug: string, version: number, state: 'disabled' | 'decrypt_only'): Promise<KeyVersion> {
    return this.changeLocked(slug, version, (key, all) => {
      if (key.state === state) return null;
      assertChangeable(key, state, all);
      key.state = state;
      return state === 'disabled' ? 'key_disable' : 'key_enable';
    });
  }

  /** From now on the version neither encrypts nor decrypts; after the waiting period its key is destroyed. */
  async scheduleDestruction(slug: string, version: number): Promise<KeyVersion> {
    return this.changeLocked(slug, version, (key) => {
      if (key.state === 'pending_destruction') return null;
      assertReplaced(key);
      key.state = 'pending_destruction';
      key.destroyAt = this.clock.inSeconds(this.env.vaultKeyDestructionDays * DAY_SECONDS);
      return 'key_destruction_schedule';
    });
  }

  /** Leaves the version disabled; enabling it is a separate decision. */
  async cancelDestruction(slug: string, version: number): Promise<KeyVersion> {
    return this.changeLocked(slug, version, (key) => {
      const isDue = key.destroyAt !== null && key.destroyAt <= this.clock.now();
      if (key.state === 'destroyed' || isDue) throw destroyed();
      if (key.state !== 'pending_destruction') {
        throw conflict('no_destruction_pending', 'No destruction of this version is pending');
      }
      key.state = 'disabled';
      key.destroyAt = null;
      return 'key_destruction_cancel';
    });
  }

  /** Destroys the keys whose waiting period has ended by deleting their wrapped bytes. */
  @Cron('vault.keys.destroy', '*/10 * * * *')
  async destroyDue(): Promise<void> {
    const due = await this.database.query<{ vaultId: string; version: number }>(
      `select vault_id as "vaultId", version from vault_key_versions
       where state = 'pending_destruction' and destroy_at <= $1 order by vault_id, version`,
      [this.clock.now()],
    );
    for (const slot of due) await this.destroy(slot);
  }

  private async destroy({ vaultId, version }: KeySlot): Promise<void> {
    await this.database.transaction(async () => {
      await this.lockVault(vaultId);
      // Another request may have cancelled the destruction before the lock.
      const { count } = await this.database.execute(
        `update vault_key_versions set state = 'destroyed', kek_id = null, wrapped_key = null, destroy_at = null
         where vault_id = $1 and version = $2 and state = 'pending_destruction' and destroy_at <= $3`,
        [vaultId, version, this.clock.now()],
      );
      if (count > 0) this.audit.recordChange({ operation: 'key_destroy', vaultId, keyVersion: version });
    });
    this.keys.forget({ vaultId, version });
  }

  /** Changes a version under the lock of its vault; the change returns the operation to audit, or null for none. */
  private async changeLocked(
    slug: string,
    version: number,
    change: (key: KeyVersion, all: readonly KeyVersion[]) => VaultOperation | null,
  ): Promise<KeyVersion> {
    const { id: vaultId } = await this.getInUse(slug);
    const changed = await this.database.transaction(async () => {
      await this.lockVault(vaultId);
      const versions = await this.database.repository(KeyVersion).findBy({ vaultId });
      const key = versions.find((one) => one.version === version);
      if (!key) throw notFound();
      const operation = change(key, versions);
      if (!operation) return key;
      const { state, destroyAt } = key;
      await this.database.repository(KeyVersion).update({ vaultId, version }, { state, destroyAt });
      this.audit.recordChange({ operation, vaultId, keyVersion: version });
      return key;
    });
    this.keys.forget({ vaultId, version });
    this.vaults.forget(slug);
    return changed;
  }

  /**
   * Two concurrent changes could exceed the number of versions that a decryption tries, or destroy a version whose destruction
   * was cancelled.
   */
  private async lockVault(vaultId: string): Promise<void> {
    await this.database.query('select from vaults where id = $1 for update', [vaultId]);
  }

  private async getInUse(slug: string): Promise<VaultSnapshot> {
    const vault = await this.vaults.getUncached(slug);
    if (vault.archived) throw conflict('vault_archived', 'The vault is archived');
    return vault;
  }
}

function assertChangeable(key: KeyVersion, state: 'disabled' | 'decrypt_only', all: readonly KeyVersion[]): void {
  assertReplaced(key);
  if (key.state === 'pending_destruction') {
    throw conflict('key_destruction_pending', 'The destruction of this version is pending; cancel it first');
  }
  const live = all.filter((one) => LIVE_STATES.some((liveState) => liveState === one.state));
  if (state === 'decrypt_only' && live.length >= MAX_LIVE_VERSIONS) {
    throw conflict(
      'key_limit_reached',
      `The vault already has ${MAX_LIVE_VERSIONS} key versions that decrypt; disable one first`,
    );
  }
}

/** Returns whether a version neither encrypts nor ever will. */
function assertReplaced({ state }: KeyVersion): void {
  if (state === 'destroyed') throw destroyed();
  if (state === 'primary' || state === 'pending') {
    throw conflict('key_in_use', 'A primary or pending version cannot be changed; rotate first');
  }
}

function destroyed(): AppError {
  return conflict('key_destroyed', 'The key of this version is destroyed');
}
