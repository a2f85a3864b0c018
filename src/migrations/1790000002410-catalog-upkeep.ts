import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Synonyms, rebuilds of the index on request, and the time of the last change of a slice. The revision of the synonyms and the
 * rebuilds have no entities: one is a counter, the others are a queue whose rows change by guarded updates only.
 */
export class CatalogUpkeep1790000002410 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table catalog_slice add column changed_at timestamptz not null default now()');
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
      )`);
    await runner.query('create index catalog_synonym_language on catalog_synonym (language, id)');
    // One row: a process whose number is the same has the same synonyms.
    await runner.query(`
      create table catalog_synonym_revision (
        single boolean primary key default true check (single),
        revision integer not null
      )`);
    await runner.query('insert into catalog_synonym_revision (revision) values (1)');
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
      )`);
    await runner.query(
      `create unique index catalog_reindex_one_at_a_time on catalog_reindex ((true)) where status <> 'done'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table catalog_reindex, catalog_synonym_revision, catalog_synonym');
    await runner.query('alter table catalog_slice drop column changed_at');
  }
}
