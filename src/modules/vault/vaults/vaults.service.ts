import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { VaultAudit } from '../audit/vault-audit.service.js';
import { NewKeys } from '../keys/new-keys.js';
import type { KnownVault } from './known-vault.js';
import { KnownVaults } from './known-vaults.service.js';
import type { VaultRow } from './vault.dto.js';
import { Vault } from './vault.entity.js';

const MOST_VAULTS = 100;
/** Held while a vault is made, so that two at the limit do not both fit. */
const CREATION_LOCK = 7_120_700;

const CHANGE = `
  with wanted as (
    select id, coalesce($2, name) as name,
      case when $3::boolean is null then archived_at when $3 then coalesce(archived_at, $4) end as archived_at
    from vaults where slug = $1 for update
  )
  update vaults set name = wanted.name, archived_at = wanted.archived_at
  from wanted
  where vaults.id = wanted.id
    and (vaults.name, vaults.archived_at) is distinct from (wanted.name, wanted.archived_at)
  returning vaults.id`;

@Injectable()
export class Vaults {
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly known: KnownVaults,
    private readonly newKeys: NewKeys,
    private readonly audit: VaultAudit,
    private readonly clock: Clock,
  ) {}

  /** Throws 404. */
  async get(slug: string): Promise<KnownVault> {
    const vault = await this.known.find(slug);
    if (!vault) throw notFound();
    return vault;
  }

  /** The vault as it is now, whatever this node remembers. Throws 404. */
  async getAnew(slug: string): Promise<KnownVault> {
    this.known.forget(slug);
    return this.get(slug);
  }

  /** This process asks the database when it needs the vault next. */
  forget(slug: string): void {
    this.known.forget(slug);
  }

  /** Throws 409 `vault_limit_reached`. */
  async getOrCreate(slug: string): Promise<KnownVault> {
    const vault = await this.known.find(slug);
    if (vault) return vault;
    await this.inTurn(() => this.create({ slug }));
    return this.getAnew(slug);
  }

  /** Creates and changes vaults by slug; safe to repeat. Throws 409 `vault_limit_reached`. */
  async provision(rows: readonly VaultRow[]): Promise<void> {
    await this.database.transaction(async () => {
      for (const row of rows) {
        await this.create(row);
        await this.change(row);
      }
    });
  }

  /** Of many at once, all but one would hold a connection to wait for the lock, and others would have none. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn.then(work);
    this.turn = result.catch(() => undefined);
    return result;
  }

  /** A vault with its first key. Does nothing where there is one of this slug. */
  private async create({ slug, name = slug }: VaultRow): Promise<void> {
    if (!(await this.hasRoomFor(slug))) return;
    const [id, createdAt] = [newId('vault'), this.clock.now()];
    const key = await this.newKeys.make({ vaultId: id, version: 1 }, 'primary');
    const vault = make(Vault, { id, slug, name, minVersion: 1, latestVersion: 1, archivedAt: null, createdAt });
    await this.database.transaction(async () => {
      await this.database.query('select pg_advisory_xact_lock($1)', [CREATION_LOCK]);
      if (!(await this.hasRoomFor(slug))) return;
      await this.database.insert(vault);
      await this.database.insert(key);
      this.audit.recordChange({ operation: 'create', vaultId: id, keyVersion: 1 });
    });
  }

  /** False where the slug is taken. Throws 409 `vault_limit_reached`. */
  private async hasRoomFor(slug: string): Promise<boolean> {
    const [vaults] = await this.database.query<{ count: number; taken: boolean }>(
      'select count(*)::int as count, coalesce(bool_or(slug = $1), false) as taken from vaults',
      [slug],
    );
    if (vaults?.taken) return false;
    if ((vaults?.count ?? 0) < MOST_VAULTS) return true;
    throw conflict('vault_limit_reached', `There are ${MOST_VAULTS} vaults, which is the maximum`);
  }

  private async change({ slug, name, archived }: VaultRow): Promise<void> {
    const wanted = [slug, name ?? null, archived ?? null, this.clock.now()];
    const [changed] = await this.database.query<{ id: string }>(CHANGE, wanted);
    if (!changed) return;
    this.audit.recordChange({ operation: 'change', vaultId: changed.id });
    this.database.afterCommit(() => this.known.forget(slug));
  }
}
