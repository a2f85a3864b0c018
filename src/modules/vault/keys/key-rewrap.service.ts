import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { asSystem } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { LOG } from '../../../platform/observability/log.js';
import { VaultAudit } from '../audit/vault-audit.service.js';
import { KeyEncryption, type KeySlot, type WrappedKey } from './key-encryption.js';

type StoredKey = KeySlot & WrappedKey;

const OTHERS = `
  select vault_id as "vaultId", version, kek_id as "kekId", wrapped_key as "wrappedKey"
  from vault_key_versions where kek_id <> $1 order by vault_id, version`;
const REWRAP = `
  update vault_key_versions set kek_id = $3, wrapped_key = $4
  where vault_id = $1 and version = $2 and kek_id = $5`;

/**
 * A new primary key-encryption key takes over at the next start: every data-encryption key is wrapped again, the data
 * stays as it is. After that, the old one can leave the environment.
 */
@Injectable()
export class KeyRewrap implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly encryption: KeyEncryption,
    private readonly audit: VaultAudit,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await asSystem(() => this.rewrapAll());
  }

  /** Wraps every key that another key-encryption key wrapped. Of one that cannot be unwrapped, the log says so. */
  async rewrapAll(): Promise<void> {
    const keys = await this.database.query<StoredKey>(OTHERS, [this.encryption.primaryId]);
    for (const key of keys) {
      const { vaultId, version, kekId } = key;
      const bare = await this.unwrap(key);
      if (!bare) {
        this.log.error(
          { vaultId, version, kekId },
          `a vault key cannot be opened: VAULT_KEK_${kekId} is missing or wrong`,
        );
      } else {
        await this.rewrap(key, bare);
        bare.fill(0);
      }
    }
  }

  private async unwrap(key: StoredKey): Promise<Buffer | null> {
    try {
      return await this.encryption.unwrap(key, key);
    } catch (error) {
      // One vault whose key-encryption key is gone must not keep the others, and the whole service, from starting.
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  private async rewrap({ vaultId, version, kekId }: StoredKey, bare: Buffer): Promise<void> {
    const next = await this.encryption.wrap({ vaultId, version }, bare);
    await this.database.transaction(async () => {
      const { count } = await this.database.execute(REWRAP, [vaultId, version, next.kekId, next.wrappedKey, kekId]);
      if (count > 0) this.audit.recordChange({ operation: 'rewrap', vaultId, keyVersion: version });
    });
  }
}
