import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Vaults, their data encryption keys and the audit record of their use. No row contains a value or a ciphertext. */
export class Vault1790000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table vaults (
        id text primary key check (length(id) between 1 and 100),
        slug text not null constraint vaults_slug unique check (slug ~ '^[a-z0-9-]{1,63}$'),
        name text not null check (length(name) between 1 and 120),
        min_version integer not null default 1,
        latest_version integer not null default 1,
        archived_at timestamptz,
        created_at timestamptz not null,
        check (min_version between 1 and latest_version)
      )`);

    // Keys are stored wrapped only. `reserved` counts the encryptions that a version has been reserved for: AES-GCM
    // with random nonces allows 2^32 per key. At most one version encrypts, and at most one is prepared to replace it.
    await runner.query(`
      create table vault_key_versions (
        vault_id text not null references vaults (id),
        version integer not null check (version > 0),
        state text not null check (state in ('pending', 'primary', 'decrypt_only', 'disabled', 'destroyed')),
        kek_id text check (length(kek_id) between 1 and 100),
        wrapped_key bytea check (length(wrapped_key) between 1 and 1000),
        reserved bigint not null default 0 check (reserved between 0 and 4294967296),
        created_at timestamptz not null,
        primary key (vault_id, version),
        check ((state = 'destroyed') = (wrapped_key is null)),
        check ((kek_id is null) = (wrapped_key is null))
      );
      create unique index vault_key_versions_primary on vault_key_versions (vault_id) where state = 'primary';
      create unique index vault_key_versions_pending on vault_key_versions (vault_id) where state = 'pending';`);

    // No entity: rows are inserted in batches and never changed.
    await runner.query(`
      create table vault_audit (
        id text primary key check (length(id) between 1 and 100),
        recorded_at timestamptz not null,
        actor_type text not null check (actor_type in ('user', 'api_key', 'oauth_client', 'system')),
        actor_id text not null check (length(actor_id) between 1 and 200),
        vault_id text not null references vaults (id),
        operation text not null check (operation in (
          'encrypt', 'decrypt', 'create', 'change', 'rotation_begin', 'rotation_complete', 'rewrap',
          'rewrap_value', 'key_disable', 'key_enable'
        )),
        key_version integer check (key_version > 0),
        bytes integer not null check (bytes between 0 and 65536),
        request_id text not null check (length(request_id) between 1 and 128),
        outcome text not null check (length(outcome) between 1 and 100)
      );
      create index vault_audit_vault on vault_audit (vault_id, recorded_at);
      create index vault_audit_actor on vault_audit (actor_id, recorded_at);
      create trigger vault_audit_append_only before update or delete or truncate on vault_audit
      for each statement execute function refuse_change();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table vault_audit, vault_key_versions, vaults');
  }
}
