import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The documents of the storefront search, and what maintains its indexes. The indexes are in memory and are rebuilt
 * from these tables.
 */
export class Catalog1790000000700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createDocuments(runner);
    await this.createUpkeep(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table catalog_reindex, catalog_synonym_revision, catalog_synonym');
    await runner.query('drop table catalog_embedding, catalog_document, catalog_slice');
  }

  private async createDocuments(runner: QueryRunner): Promise<void> {
    // Writers lock the row of a slice, so that its generations are committed in order: a reader that knows a generation
    // misses no change.
    // No entity: its columns are counters, changed by conditional updates.
    await runner.query(`
      create table catalog_slice (
        id bigint generated always as identity primary key,
        vertical text not null check (vertical in ('products', 'cruises', 'charters', 'accommodations')),
        locale text not null check (length(locale) between 2 and 35),
        market text not null check (length(market) between 1 and 64),
        generation bigint not null check (generation > 0),
        purged_generation bigint not null default 0 check (purged_generation between 0 and generation),
        rebuild integer not null default 0 check (rebuild >= 0),
        document_count integer not null check (document_count >= 0),
        embedding_model text check (length(embedding_model) between 1 and 200),
        changed_at timestamptz not null default now(),
        constraint catalog_slice_of unique (vertical, locale, market)
      )`);

    // No entity: documents are written in sets, and the index reads them in pages.
    await runner.query(`
      create table catalog_document (
        seq bigint generated always as identity constraint catalog_document_seq unique,
        slice_id bigint not null references catalog_slice,
        id text not null check (id ~ '^[A-Za-z0-9._:-]{1,128}$'),
        fields jsonb not null check (jsonb_typeof(fields) = 'object' and jsonb_typeof(fields -> 'name') = 'string'),
        content_hash bytea not null check (length(content_hash) = 32),
        generation bigint not null check (generation > 0),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        deleted_at timestamptz,
        primary key (slice_id, id)
      );
      create index catalog_document_generation on catalog_document (slice_id, generation);
      create index catalog_document_id on catalog_document (id);
      create index catalog_document_hash on catalog_document (content_hash);
      create index catalog_document_deleted on catalog_document (deleted_at) where deleted_at is not null;
      create index catalog_document_search on catalog_document using gin (id gin_trgm_ops, (fields ->> 'name') gin_trgm_ops);`);

    // A vector of null marks a text that the model cannot embed, so that it is not tried again. A stale vector is used
    // until the new one is computed.
    // No entity: vectors are written in sets, and the index reads them in pages.
    await runner.query(`
      create table catalog_embedding (
        content_hash bytea not null check (length(content_hash) = 32),
        model text not null check (length(model) between 1 and 200),
        vector bytea check (length(vector) between 4 and 65536 and length(vector) % 4 = 0),
        stale boolean not null default false,
        primary key (content_hash, model)
      )`);
  }

  private async createUpkeep(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table catalog_synonym (
        id text primary key,
        language text not null check (language ~ '^[a-z]{2,3}$'),
        input text check (length(input) between 1 and 200),
        terms text[] not null check (
          cardinality(terms) between case when input is null then 2 else 1 end and 20
          and array_position(terms, null) is null
        ),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create index catalog_synonym_language on catalog_synonym (language, id);`);

    // One row: processes with the same revision have the same synonyms.
    // No entity: a counter.
    await runner.query(`
      create table catalog_synonym_revision (
        single boolean primary key default true check (single),
        revision integer not null
      )`);
    await runner.query('insert into catalog_synonym_revision (revision) values (1)');

    // Requested rebuilds of the index, of which at most one is unfinished.
    // No entity: a queue whose rows change by conditional updates only.
    await runner.query(`
      create table catalog_reindex (
        id text primary key,
        status text not null check (status in ('queued', 'running', 'done')),
        embeddings text not null check (embeddings in ('reuse', 'renew')),
        slice_ids bigint[] not null,
        total integer not null check (total >= 0),
        done integer not null check (done between 0 and total),
        created_at timestamptz not null,
        finished_at timestamptz,
        constraint catalog_reindex_finished check ((finished_at is not null) = (status = 'done'))
      );
      create unique index catalog_reindex_one_at_a_time on catalog_reindex ((true)) where status <> 'done';`);
  }
}
