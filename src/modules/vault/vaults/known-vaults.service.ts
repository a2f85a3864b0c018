import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { LIVE_STATES } from '../keys/key-version.entity.js';
import { KeyRotation } from '../keys/key-rotation.service.js';
import { findPending, type KnownVault, toKnownVault, type VaultRecordRow } from './known-vault.js';

/** An archived vault or a disabled version is heard of everywhere within a second. */
const KNOWN_FOR_MS = 1_000;

const BY_SLUG = `
  select vault.id, vault.archived_at is not null as archived,
    key.version, key.state, key.kek_id as "kekId", key.wrapped_key as "wrappedKey", key.created_at as "createdAt"
  from vaults as vault
  left join vault_key_versions as key
    on key.vault_id = vault.id and key.version >= vault.min_version and key.state = any ($2)
  where vault.slug = $1
  order by key.version desc`;

interface Knowledge {
  vault: Promise<KnownVault | null>;
  /** In milliseconds since 1970. */
  until: number;
}

/** Vaults by slug, asked of the database once a second at most, however many requests there are. */
@Injectable()
export class KnownVaults {
  private readonly known = new Map<string, Knowledge>();

  constructor(
    private readonly database: Database,
    private readonly rotation: KeyRotation,
    private readonly clock: Clock,
  ) {}

  async find(slug: string): Promise<KnownVault | null> {
    const now = this.clock.now().getTime();
    const held = this.known.get(slug);
    if (held && held.until > now) return held.vault;

    const knowledge: Knowledge = { vault: this.read(slug), until: now + KNOWN_FOR_MS };
    this.known.set(slug, knowledge);
    return this.settle(slug, knowledge);
  }

  forget(slug: string): void {
    this.known.delete(slug);
  }

  /** Only vaults that exist are remembered, or an endless list of made-up slugs would be. */
  private async settle(slug: string, knowledge: Knowledge): Promise<KnownVault | null> {
    const vault = await knowledge.vault.catch((error: unknown) => {
      this.known.delete(slug);
      throw error;
    });
    if (!vault) this.known.delete(slug);
    // Whoever was told to wait for the next key finds it in place to the millisecond.
    const pending = vault && findPending(vault);
    if (pending) knowledge.until = Math.min(knowledge.until, pending.ripeAt);
    return vault;
  }

  private async read(slug: string): Promise<KnownVault | null> {
    const vault = await this.load(slug);
    const pending = vault && findPending(vault);
    if (!pending || pending.ripeAt > this.clock.now().getTime()) return vault;
    await this.rotation.complete(pending.version);
    return this.load(slug);
  }

  private async load(slug: string): Promise<KnownVault | null> {
    const rows = await this.database.prepared<VaultRecordRow>('vault-by-slug', BY_SLUG, [slug, LIVE_STATES]);
    return toKnownVault(rows);
  }
}
