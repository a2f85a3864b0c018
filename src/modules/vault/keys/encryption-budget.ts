import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { KeySlot } from './key-encryption.js';
import { KeyRotation } from './key-rotation.service.js';
import { KEY_LIFETIME_MS } from './unwrapped-keys.js';

/** How many encryptions a node takes out at once. A crash wastes the rest of a block and never repeats one. */
const BLOCK = 65_536;
/** NIST SP 800-38D, 8.3: with random nonces, at most 2^32 encryptions per key; refused a little earlier. */
const MOST = 2 ** 32 - 2 ** 20;
const ROTATE_AT = 2 ** 31;
/** Where no new version can be made, somebody has to give up an old one first. */
const WAIT_FOR_PEOPLE_MS = 60 * 60 * 1000;

const LEASE = `
  update vault_key_versions set reserved = reserved + $3
  where vault_id = $1 and version = $2 and state = 'primary' and reserved + $3 <= $4
  returning reserved::float8 as reserved`;
const STATE = 'select state from vault_key_versions where vault_id = $1 and version = $2';

/** What this node may still encrypt with one version. */
interface Lease {
  left: number;
  refill: Promise<boolean> | null;
}

/** Counts encryptions per key, over all nodes, without a statement for each. */
@Injectable()
export class EncryptionBudget {
  private readonly leases = new Map<string, Lease>();

  constructor(
    private readonly database: Database,
    private readonly rotation: KeyRotation,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes one encryption with this version; false where it is no longer the primary one, and whoever asks has to look
   * again. Throws 429 with the time until there is a new version, where this one has no encryptions left.
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
    const [block] = await this.database.query<{ reserved: number }>(LEASE, [vaultId, version, BLOCK, MOST]);
    if (!block) return this.refuse(slot);
    lease.left = BLOCK;
    if (block.reserved >= ROTATE_AT) await this.rotation.begin(vaultId);
    return true;
  }

  private async refuse({ vaultId, version }: KeySlot): Promise<false> {
    const [row] = await this.database.query<{ state: string }>(STATE, [vaultId, version]);
    if (row?.state !== 'primary') return false;
    const pendingSince = await this.rotation.begin(vaultId);
    throw new AppError(
      429,
      'encryption_budget_exhausted',
      'The encryption limit of the key is reached; a new key is being prepared',
      {
        retryAfterMs: pendingSince ? this.untilPrimary(pendingSince) : WAIT_FOR_PEOPLE_MS,
      },
    );
  }

  /** With up to a tenth on top, so that not everybody comes back at once. */
  private untilPrimary(pendingSince: Date): number {
    const deficitMs = pendingSince.getTime() + KEY_LIFETIME_MS - this.clock.now().getTime();
    return Math.max(1, deficitMs) + randomInt(Math.max(1, Math.ceil(deficitMs / 10)));
  }
}
