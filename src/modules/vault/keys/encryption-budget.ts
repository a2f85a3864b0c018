import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { KEY_LIFETIME_MS, type KeySlot } from './key-version.entity.js';
import { VaultKeysService } from './vault-keys.service.js';

/** Number of encryptions that a process reserves at once. A crash wastes the rest of a block and repeats none. */
const BLOCK = 65_536;
/** NIST SP 800-38D, 8.3: with random nonces, at most 2^32 encryptions per key; the limit is slightly lower. */
const MAX_ENCRYPTIONS = 2 ** 32 - 2 ** 20;
const ROTATE_AT = 2 ** 31;
/** If no new version can be added, an administrator must disable an old one first. */
const WAIT_FOR_ADMINISTRATOR_MS = 60 * 60 * 1000;

const LEASE = `
  update vault_key_versions set reserved = reserved + $3
  where vault_id = $1 and version = $2 and state = 'primary' and reserved + $3 <= $4
  returning reserved::float8 as reserved`;
const STATE = 'select state from vault_key_versions where vault_id = $1 and version = $2';

/** Encryptions of one version that this process has reserved and not used. */
interface Lease {
  left: number;
  refill: Promise<boolean> | null;
}

/** Limits the encryptions per key across all processes, with one statement per block. */
@Injectable()
export class EncryptionBudget {
  private readonly leases = new Map<string, Lease>();

  constructor(
    private readonly database: Database,
    private readonly keys: VaultKeysService,
    private readonly clock: Clock,
  ) {}

  /**
   * Reserves one encryption with this version. Returns false if the version is no longer primary; read the vault again then. If
   * it has no encryptions left, the error states when a new version is ready.
   */
  async take(slot: KeySlot): Promise<boolean> {
    const lease = this.leaseOf(slot);
    while (lease.left === 0) {
      lease.refill ??= this.refill(slot, lease).finally(() => (lease.refill = null));
      if (!(await lease.refill)) return false;
    }
    lease.left -= 1;
    return true;
  }

  private leaseOf({ vaultId, version }: KeySlot): Lease {
    const key = `${vaultId}|${version}`;
    const known = this.leases.get(key);
    if (known) return known;
    const lease: Lease = { left: 0, refill: null };
    this.leases.set(key, lease);
    return lease;
  }

  private async refill(slot: KeySlot, lease: Lease): Promise<boolean> {
    const { vaultId, version } = slot;
    const [block] = await this.database.query<{ reserved: number }>(LEASE, [vaultId, version, BLOCK, MAX_ENCRYPTIONS]);
    if (!block) return this.reject(slot);
    lease.left = BLOCK;
    if (block.reserved >= ROTATE_AT) await this.keys.beginRotation(vaultId);
    return true;
  }

  private async reject({ vaultId, version }: KeySlot): Promise<false> {
    const [row] = await this.database.query<{ state: string }>(STATE, [vaultId, version]);
    if (row?.state !== 'primary') return false;
    const pendingSince = await this.keys.beginRotation(vaultId);
    throw new AppError(
      429,
      'encryption_budget_exhausted',
      'The key has reached its encryption limit; a new key is being prepared',
      {
        retryAfterMs: pendingSince ? this.untilPrimary(pendingSince) : WAIT_FOR_ADMINISTRATOR_MS,
      },
    );
  }

  /** Adds up to a tenth at random, which spreads the retries. */
  private untilPrimary(pendingSince: Date): number {
    const deficitMs = pendingSince.getTime() + KEY_LIFETIME_MS - this.clock.now().getTime();
    return Math.max(1, deficitMs) + randomInt(Math.max(1, Math.ceil(deficitMs / 10)));
  }
}
