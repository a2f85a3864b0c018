import { type KeyObject, randomBytes } from 'node:crypto';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { asSystem } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { Notifier } from '../../../platform/database/notifier.js';
import { make } from '../../../platform/database/rows.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { KekProvider, type WrappedKey } from '../../../platform/keys/kek-provider.js';
import type { Rewrapping } from '../../../platform/keys/service-keys.js';
import { LOG } from '../../../platform/observability/log.js';
import { VaultAuditService } from '../audit/vault-audit.service.js';
import {
  bindingOf,
  type KeySlot,
  KeyVersion,
  LIVE_STATES,
  type LiveState,
  MAX_LIVE_VERSIONS,
} from './key-version.entity.js';
import { PlaintextKeyCache } from './plaintext-key-cache.js';

const KEY_BYTES = 32;
const CHANNEL = 'vault_keys';

type StoredKey = KeySlot & WrappedKey;

interface VersionSummary {
  latest: number;
  live: number;
  pendingSince: Date | null;
}

/** Creates, rotates and wraps the data-encryption keys of vaults, and keeps their plaintext in memory. */
@Injectable()
export class VaultKeysService implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly plaintextKeys: PlaintextKeyCache;

  constructor(
    private readonly database: Database,
    private readonly keks: KekProvider,
    private readonly audit: VaultAuditService,
    private readonly clock: Clock,
    private readonly notifier: Notifier,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.plaintextKeys = new PlaintextKeyCache(keks);
  }

  /**
   * After a change of the primary key-encryption key, wraps all data-encryption keys again; encrypted data does not change.
   * The old key-encryption key can be removed from the configuration afterwards.
   */
  async onApplicationBootstrap(): Promise<void> {
    await asSystem(() => this.rewrapAll());
  }

  onModuleInit(): void {
    const onNotification = (key: string) => {
      const [vaultId = '', version] = key.split(' ');
      this.plaintextKeys.forget({ vaultId, version: Number(version) });
    };
    this.notifier.subscribe(CHANNEL, { onNotification });
  }

  onApplicationShutdown(): void {
    this.plaintextKeys.clear();
  }

  /** Creates a random key, wrapped and not stored yet. */
  async create({ vaultId, version }: KeySlot, state: LiveState): Promise<KeyVersion> {
    const plaintextKey = randomBytes(KEY_BYTES);
    const wrapped = await this.keks
      .wrap(bindingOf({ vaultId, version }), plaintextKey)
      .finally(() => plaintextKey.fill(0));
    return make(KeyVersion, {
      vaultId,
      version,
      state,
      ...wrapped,
      reserved: 0,
      createdAt: this.clock.now(),
      destroyAt: null,
    });
  }

  /** Returns the plaintext key, which stays in memory for at most five minutes. */
  async get(version: StoredKey): Promise<KeyObject> {
    return this.plaintextKeys.get(version);
  }

  /**
   * Drops the plaintext key of a version that must not be used, in this process and, by a notification, in the others; one that
   * misses it drops the key within five minutes.
   */
  forget(slot: KeySlot): void {
    this.plaintextKeys.forget(slot);
    this.notifier.notify(CHANNEL, `${slot.vaultId} ${slot.version}`);
  }

  /**
   * The first step of a rotation: adds a `pending` version, which decrypts only, unless there is one. It becomes primary
   * when the caches of all processes know it. Returns when the pending version was created; null if the vault already has
   * the maximum of 16 versions that decrypt.
   */
  async beginRotation(vaultId: string): Promise<Date | null> {
    const [summary] = await this.database.query<VersionSummary>(
      `select vault.latest_version as latest, count(*)::int as live,
         max(key.created_at) filter (where key.state = 'pending') as "pendingSince"
       from vaults as vault left join vault_key_versions as key on key.vault_id = vault.id and key.state = any ($2)
       where vault.id = $1 group by vault.id`,
      [vaultId, LIVE_STATES],
    );
    if (!summary || summary.pendingSince || summary.live >= MAX_LIVE_VERSIONS) return summary?.pendingSince ?? null;

    const key = await this.create({ vaultId, version: summary.latest + 1 }, 'pending');
    await this.database.transaction(async () => {
      const { count } = await this.database.execute(
        'update vaults set latest_version = $2 where id = $1 and latest_version = $2 - 1',
        [vaultId, key.version],
      );
      // With 0, another process has added the version in the meantime, and its key is used.
      if (count === 0) return;
      await this.database.insert(key);
      this.audit.recordChange({ operation: 'rotation_begin', vaultId, keyVersion: key.version });
    });
    return key.createdAt;
  }

  /** The second step makes the pending version primary; the previous one only decrypts. Safe to repeat. */
  async completeRotation({ vaultId, version }: KeySlot): Promise<void> {
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
      this.audit.recordChange({ operation: 'rotation_complete', vaultId, keyVersion: version });
    });
  }

  /** Wraps keys again that other key-encryption keys wrapped, with the primary one. Safe to repeat. */
  async rewrapAll(report: (done: number, all: number) => void = () => undefined): Promise<Rewrapping> {
    const keys = await this.database.query<StoredKey>(
      `select vault_id as "vaultId", version, kek_id as "kekId", wrapped_key as "wrappedKey"
       from vault_key_versions where kek_id <> $1 order by vault_id, version`,
      [this.keks.primaryId],
    );
    const result: Rewrapping = { rewrapped: 0, failed: [] };
    for (const [index, key] of keys.entries()) {
      if (await this.rewrap(key)) result.rewrapped += 1;
      else result.failed.push(`version ${key.version} of ${key.vaultId}, wrapped by ${key.kekId}`);
      report(index + 1, keys.length);
    }
    return result;
  }

  /**
   * Logs a key that cannot be unwrapped and returns false: one missing key-encryption key must not prevent the start of the
   * whole service.
   */
  private async rewrap(key: StoredKey): Promise<boolean> {
    const { vaultId, version, kekId } = key;
    const plaintextKey = await this.keks.unwrap(bindingOf(key), key).catch((error: unknown) => {
      if (error instanceof AppError) return null;
      throw error;
    });
    if (!plaintextKey) {
      const message = `a vault key cannot be unwrapped: its key-encryption key ${kekId} is missing or wrong`;
      this.log.error({ vaultId, version, kekId }, message);
      return false;
    }
    const next = await this.keks
      .wrap(bindingOf({ vaultId, version }), plaintextKey)
      .finally(() => plaintextKey.fill(0));
    await this.database.transaction(async () => {
      const { count } = await this.database.execute(
        `update vault_key_versions set kek_id = $3, wrapped_key = $4
         where vault_id = $1 and version = $2 and kek_id = $5`,
        [vaultId, version, next.kekId, next.wrappedKey, kekId],
      );
      if (count > 0) this.audit.recordChange({ operation: 'rewrap', vaultId, keyVersion: version });
    });
    return true;
  }
}
