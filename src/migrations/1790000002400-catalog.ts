import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The documents that the storefront finds. Search indexes in memory are built from these tables and can be lost. Writers lock
 * the row of a slice, so that its generations are committed in order, and a reader who knows a generation misses no change.
 * No table has an entity: documents and vectors are written in sets, slices are counters, and the index reads them in pages.
 */
export class Catalog1790000002400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create extension if not exists pg_trgm');
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
        constraint catalog_slice_of unique (vertical, locale, market)
      )`);
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
      )`);
    await runner.query('create index catalog_document_generation on catalog_document (slice_id, generation)');
    await runner.query('create index catalog_document_id on catalog_document (id)');
    await runner.query('create index catalog_document_hash on catalog_document (content_hash)');
    await runner.query(
      'create index catalog_document_deleted on catalog_document (deleted_at) where deleted_at is not null',
    );
    await runner.query(`
      create index catalog_document_search on catalog_document using gin (id gin_trgm_ops, (fields ->> 'name') gin_trgm_ops)`);
    await runner.query(`
      create table catalog_embedding (
        content_hash bytea not null check (length(content_hash) = 32),
        model text not null check (length(model) between 1 and 200),
        vector bytea not null check (length(vector) between 4 and 65536 and length(vector) % 4 = 0),
        primary key (content_hash, model)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table catalog_embedding, catalog_document, catalog_slice');
  }
}
