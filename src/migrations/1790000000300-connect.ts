import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators and their grants, OAuth clients with secrets and access tokens, and connector providers. */
export class Connect1790000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table operators (
        id text primary key check (id ~ '^[A-Za-z0-9_-]{1,64}$'),
        name text not null check (length(name) between 1 and 120),
        status text not null check (status in ('active', 'inactive')),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        version integer not null default 1 check (version > 0)
      )`);
    await runner.query(`
      create table operator_grants (
        id text primary key check (id ~ '^[A-Za-z0-9_-]{1,64}$'),
        operator_id text not null references operators (id),
        status text not null check (status in ('active', 'paused', 'revoked')),
        scopes text[] not null check (cardinality(scopes) between 1 and 64 and array_position(scopes, null) is null),
        expires_at timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        version integer not null default 1 check (version > 0),
        unique (id, operator_id)
      );
      create index operator_grants_operator_id on operator_grants (operator_id);
      create index operator_grants_created_at on operator_grants (operator_id, created_at, id);`);

    // The foreign key with two columns allows only grants of the client's own operator.
    await runner.query(`
      create table oauth_clients (
        id text primary key,
        operator_id text not null references operators (id),
        client_id text not null constraint oauth_clients_client_id unique check (client_id ~ '^occ_[0-9A-Za-z]{24}$'),
        name text check (length(name) between 1 and 120),
        scopes text[] not null check (cardinality(scopes) between 1 and 64 and array_position(scopes, null) is null),
        grant_id text,
        expires_at timestamptz,
        active boolean not null,
        created_at timestamptz not null,
        revoked_at timestamptz,
        revoked_by text check (length(revoked_by) between 1 and 200),
        check (active = (revoked_at is null)),
        check ((revoked_at is null) = (revoked_by is null)),
        foreign key (grant_id, operator_id) references operator_grants (id, operator_id)
      );
      create index oauth_clients_operator_id_created_at on oauth_clients (operator_id, created_at);
      create index oauth_clients_grant_id on oauth_clients (grant_id);`);

    // Client secrets and access tokens are stored as SHA-256 hashes only.
    await runner.query(`
      create table oauth_client_secrets (
        id text primary key,
        client text not null references oauth_clients (id),
        hash bytea not null check (length(hash) = 32),
        created_at timestamptz not null,
        expires_at timestamptz,
        revoked_at timestamptz,
        unique (id, client)
      );
      create index oauth_client_secrets_client on oauth_client_secrets (client, created_at);`);

    // `secret`: the client secret that the token was issued for. The token is valid only as long as that secret is.
    // No entity: a row is inserted, checked and revoked by one statement each, and expired rows are deleted in batches.
    await runner.query(`
      create table oauth_access_tokens (
        public_id text primary key check (length(public_id) = 16),
        secret_hash bytea not null check (length(secret_hash) = 32),
        client text not null references oauth_clients (id),
        scopes text[] not null check (cardinality(scopes) between 1 and 64 and array_position(scopes, null) is null),
        issued_at timestamptz not null,
        expires_at timestamptz not null,
        revoked_at timestamptz,
        secret text,
        foreign key (secret, client) references oauth_client_secrets (id, client)
      );
      create index oauth_access_tokens_client on oauth_access_tokens (client);
      create index oauth_access_tokens_expires_at on oauth_access_tokens (expires_at);
      create index oauth_access_tokens_secret on oauth_access_tokens (secret);`);

    // Providers are listed by key. Most collations ignore hyphens; "C" gives the same order on every server.
    await runner.query(`
      create table connector_providers (
        key text collate "C" primary key check (key ~ '^[a-z0-9-]{1,63}$'),
        name text not null check (length(name) between 1 and 120),
        description text check (length(description) <= 2000),
        capabilities text[] not null check (cardinality(capabilities) <= 64 and array_position(capabilities, null) is null),
        application_form_schema json check (
          json_typeof(application_form_schema) = 'object' and octet_length(application_form_schema::text) <= 65536
        ),
        version integer not null default 1 check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table connector_providers');
    await runner.query('drop table oauth_access_tokens, oauth_client_secrets, oauth_clients');
    await runner.query('drop table operator_grants, operators');
  }
}
