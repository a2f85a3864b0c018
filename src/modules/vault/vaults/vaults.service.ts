import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
import { VaultAuditService } from '../audit/vault-audit.service.js';
import { LIVE_STATES } from '../keys/key-version.entity.js';
import { VaultKeysService } from '../keys/vault-keys.service.js';
import { findPending, type VaultSnapshot, toVaultSnapshot, type VaultRecordRow } from './vault-snapshot.js';
import { VaultRow } from './vault.dto.js';
import { Vault } from './vault.entity.js';

const MAX_VAULTS = 100;
/** An advisory lock on creation, so that two concurrent requests cannot exceed the limit. */
const CREATION_LOCK = 7_120_700;
/** Every process learns of an archived vault or a disabled version within a second. */
const CACHE_MS = 1_000;

const BY_SLUG = `
  select vault.id, vault.archived_at is not null as archived,
    key.version, key.state, key.kek_id as "kekId", key.wrapped_key as "wrappedKey", key.created_at as "createdAt"
  from vaults as vault
  left join vault_key_versions as key
    on key.vault_id = vault.id and key.version >= vault.min_version and key.state = any ($2)
  where vault.slug = $1 and ($3::text is null or vault.operator_id = $3)
  order by key.version desc`;

const CHANGE = `
  with wanted as (
    select id, coalesce($2, name) as name,
      case when $3::boolean is null then archived_at when $3 then coalesce(archived_at, $4) end as archived_at,
      case when $5 then $6 else operator_id end as operator_id
    from vaults where slug = $1 for update
  )
  update vaults set name = wanted.name, archived_at = wanted.archived_at, operator_id = wanted.operator_id
  from wanted
  where vaults.id = wanted.id
    and (vaults.name, vaults.archived_at, vaults.operator_id)
      is distinct from (wanted.name, wanted.archived_at, wanted.operator_id)
  returning vaults.id`;

interface CachedVault {
  vault: Promise<VaultSnapshot | null>;
  /** A time of `Clock.elapsedMs`. */
  expiresAt: number;
}

/**
 * Vaults by slug, cached for a second. A credential bound to an operator finds only vaults of the operator: the statement reads
 * no others, so a foreign vault takes the same time as an unknown one.
 */
@Injectable()
export class VaultsService {
  /** Key: the operator of the caller, if any, and the slug. */
  private readonly cache = new Map<string, CachedVault>();
  private lastCreation: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly keys: VaultKeysService,
    private readonly audit: VaultAuditService,
    private readonly clock: Clock,
  ) {}

  async get(slug: string): Promise<VaultSnapshot> {
    const vault = await this.find(slug);
    if (!vault) throw notFound();
    return vault;
  }

  /** Reads the vault from the database, not from the cache. */
  async getUncached(slug: string): Promise<VaultSnapshot> {
    this.forget(slug);
    return this.get(slug);
  }

  /** Removes the vault from the cache of this process. */
  forget(slug: string): void {
    for (const key of this.cache.keys()) if (key.endsWith(` ${slug}`)) this.cache.delete(key);
  }

  /** A new vault belongs to the operator of the caller. */
  async getOrCreate(slug: string): Promise<VaultSnapshot> {
    const vault = await this.find(slug);
    if (vault) return vault;
    const { operatorId } = currentActor();
    // Runs one creation at a time: several would occupy all connections while they wait for the advisory lock.
    const creation = this.lastCreation.then(() => this.create({ slug, operatorId }));
    this.lastCreation = creation.catch(() => undefined);
    await creation;
    return this.getUncached(slug);
  }

  /** Creates and changes vaults by slug; safe to repeat. An unknown owner is an error. */
  @Provisions({ name: 'vaults', order: 350, row: VaultRow })
  async provision(rows: readonly VaultRow[]): Promise<void> {
    await this.database.transaction(async () => {
      for (const row of rows) {
        await this.assertOwnerExists(row);
        await this.create(row);
        await this.change(row);
      }
    });
  }

  private async find(slug: string): Promise<VaultSnapshot | null> {
    const now = this.clock.elapsedMs();
    const { operatorId } = currentActor();
    const key = `${operatorId ?? ''} ${slug}`;
    const cached = this.cache.get(key);
    if (cached && cached.expiresAt > now) return cached.vault;

    const entry: CachedVault = { vault: this.read(slug, operatorId), expiresAt: now + CACHE_MS };
    this.cache.set(key, entry);
    return this.settle(key, entry);
  }

  /** Keeps only existing vaults in the cache: requests for invented slugs must not fill the memory. */
  private async settle(key: string, entry: CachedVault): Promise<VaultSnapshot | null> {
    const vault = await entry.vault.catch((error: unknown) => {
      this.cache.delete(key);
      throw error;
    });
    if (!vault) this.cache.delete(key);
    // A client that retries at the announced time must find the next key ready, to the millisecond.
    const pending = vault && findPending(vault);
    if (pending) {
      const readyInMs = pending.readyAt - this.clock.now().getTime();
      entry.expiresAt = Math.min(entry.expiresAt, this.clock.elapsedMs() + readyInMs);
    }
    return vault;
  }

  private async read(slug: string, operatorId: string | null): Promise<VaultSnapshot | null> {
    const vault = await this.load(slug, operatorId);
    const pending = vault && findPending(vault);
    if (!pending || pending.readyAt > this.clock.now().getTime()) return vault;
    await this.keys.completeRotation(pending.version);
    return this.load(slug, operatorId);
  }

  private async load(slug: string, operatorId: string | null): Promise<VaultSnapshot | null> {
    const rows = await this.database.prepared<VaultRecordRow>('vault-by-slug', BY_SLUG, [
      slug,
      LIVE_STATES,
      operatorId,
    ]);
    return toVaultSnapshot(rows);
  }

  /** Adds a vault with its first key. Does nothing if the slug exists. */
  private async create({ slug, name = slug, operatorId = null }: VaultRow): Promise<void> {
    if (!(await this.isFree(slug))) return;
    const [id, createdAt] = [newId('vault'), this.clock.now()];
    const key = await this.keys.create({ vaultId: id, version: 1 }, 'primary');
    const columns = { minVersion: 1, latestVersion: 1, archivedAt: null, createdAt };
    const vault = make(Vault, { id, slug, name, operatorId, ...columns });
    await this.database.transaction(async () => {
      await this.database.query('select pg_advisory_xact_lock($1)', [CREATION_LOCK]);
      if (!(await this.isFree(slug))) return;
      await this.database.insert(vault);
      await this.database.insert(key);
      this.audit.recordChange({ operation: 'create', vaultId: id, keyVersion: 1 });
    });
  }

  /** Returns false if the slug exists. */
  private async isFree(slug: string): Promise<boolean> {
    const [vaults] = await this.database.query<{ count: number; taken: boolean }>(
      'select count(*)::int as count, coalesce(bool_or(slug = $1), false) as taken from vaults',
      [slug],
    );
    if (vaults?.taken) return false;
    if ((vaults?.count ?? 0) < MAX_VAULTS) return true;
    throw conflict('vault_limit_reached', `There are ${MAX_VAULTS} vaults, which is the maximum`);
  }

  private async assertOwnerExists({ slug, operatorId = null }: VaultRow): Promise<void> {
    if (operatorId === null) return;
    const found = await this.database.query('select from operators where id = $1', [operatorId]);
    if (found.length === 0) throw new Error(`vaults: ${slug} has the owner ${operatorId}, which does not exist`);
  }

  private async change({ slug, name, archived, operatorId }: VaultRow): Promise<void> {
    const owner = [operatorId !== undefined, operatorId ?? null];
    const wanted = [slug, name ?? null, archived ?? null, this.clock.now(), ...owner];
    const [changed] = await this.database.query<{ id: string }>(CHANGE, wanted);
    if (!changed) return;
    this.audit.recordChange({ operation: 'change', vaultId: changed.id });
    this.database.afterCommit(() => this.forget(slug));
  }
}
