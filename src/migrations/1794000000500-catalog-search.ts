import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The search index of `SEARCH_ADAPTER=postgres` (docs/adr/0029). With the adapter `memory` these tables are empty. They are
 * derived from the documents and can be rebuilt at any time.
 */
export class CatalogSearch1794000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The process that writes the indexes renews its lease several times a minute.
    // No entity: one row, changed by conditional updates.
    await runner.query(`
      create table catalog_search_lease (
        single boolean primary key default true check (single),
        owner text not null,
        expires_at timestamptz not null
      )`);

    // Of the indexes of a slice one is searched; another may be built beside it.
    // No entity: its columns are counters, changed by conditional updates.
    await runner.query(`
      create table catalog_search_index (
        id bigint generated always as identity primary key,
        slice_id bigint not null references catalog_slice,
        searched boolean not null default false,
        revision text not null,
        generation bigint not null check (generation >= 0),
        documents bigint not null default 0 check (documents >= 0),
        total_length double precision not null default 0,
        typical_length real not null check (typical_length > 0)
      );
      create unique index catalog_search_index_searched on catalog_search_index (slice_id) where searched`);

    await this.createDocuments(runner);
    await this.createStatistics(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table catalog_search_value, catalog_search_word, catalog_search_stem, catalog_search_document;
      drop table catalog_search_index, catalog_search_lease`);
  }

  private async createDocuments(runner: QueryRunner): Promise<void> {
    // The values that matches are counted and sorted by stay in the row, and its texts are moved out of it: counting half a
    // million matches reads rows of 0.5 kB. No reference to the index, which would be checked for each row; rows of deleted
    // indexes are removed.
    // No entity: rows are written in sets.
    await runner.query(`
      create table catalog_search_document (
        index_id bigint not null,
        id text collate "C" not null,
        seq bigint not null,
        length real not null,
        price double precision not null,
        price_down double precision not null,
        newest double precision not null,
        departure double precision not null,
        start double precision not null,
        merit smallint not null,
        latitude double precision,
        longitude double precision,
        expires_at timestamptz,
        keys bigint[] not null,
        bounds bigint[] not null,
        words tsvector not null,
        fields text not null,
        primary key (index_id, id)
      ) with (toast_tuple_target = 512, autovacuum_analyze_scale_factor = 0.05);
      alter table catalog_search_document
        alter keys set storage main, alter bounds set storage main, alter words set storage external;
      create index catalog_search_document_words on catalog_search_document using gin (words, keys);
      create index catalog_search_document_price on catalog_search_document (index_id, price, id);
      create index catalog_search_document_price_down on catalog_search_document (index_id, price_down, id);
      create index catalog_search_document_newest on catalog_search_document (index_id, newest, id);
      create index catalog_search_document_merit on catalog_search_document (index_id, merit, newest, id);
      create index catalog_search_document_expires on catalog_search_document (expires_at) where expires_at is not null`);
  }

  private async createStatistics(runner: QueryRunner): Promise<void> {
    // The number of documents with a lexeme. No entity: counters.
    await runner.query(`
      create table catalog_search_stem (
        index_id bigint not null,
        lexeme text collate "C" not null,
        documents integer not null,
        primary key (index_id, lexeme)
      ) with (fillfactor = 80)`);

    // The words as they are written; variants are the word and what remains of it without one letter.
    // No entity: rows are written in sets.
    await runner.query(`
      create table catalog_search_word (
        index_id bigint not null,
        surface text collate "C" not null,
        stem text not null,
        variants text[] not null,
        primary key (index_id, surface)
      );
      create index catalog_search_word_variants on catalog_search_word using gin (variants);
      create index catalog_search_word_trigrams on catalog_search_word using gin (surface gin_trgm_ops)`);

    // The values of facets by their key, with the number of documents. No entity: counters.
    await runner.query(`
      create table catalog_search_value (
        index_id bigint not null,
        key bigint not null,
        kind text not null check (kind in ('string', 'number', 'boolean')),
        value text collate "C" not null,
        number double precision,
        documents integer not null,
        primary key (index_id, key)
      ) with (fillfactor = 80)`);
  }
}
