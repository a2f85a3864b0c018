import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `count` is the number of elements of a list that are primary: one, or none if the list is empty. */
const onePrimary = (column: string): string =>
  `check (jsonb_array_length(jsonb_path_query_array(${column}, '$[*] ? (@.isPrimary == true)'))
    = least(1, jsonb_array_length(${column})))`;

/**
 * Persons and companies that buy. E-mail addresses and telephone numbers are not unique, because couples share them;
 * `contact_keys` contains both in the form in which they are compared.
 */
export class Customers1796300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table customers (
        id text primary key,
        kind text not null check (kind in ('person', 'company')),
        status text not null check (status in ('active', 'archived', 'merged', 'erased')),
        first_name text,
        last_name text,
        company_name text,
        display_name text not null,
        emails jsonb not null check (jsonb_array_length(emails) <= 10) constraint customers_primary_email ${onePrimary('emails')},
        phones jsonb not null check (jsonb_array_length(phones) <= 10) constraint customers_primary_phone ${onePrimary('phones')},
        addresses jsonb not null check (jsonb_array_length(addresses) <= 5),
        language text,
        birth_date date,
        tax_id text,
        vat_id text,
        notes text,
        tags text[] not null check (cardinality(tags) <= 50 and array_position(tags, null) is null),
        contact_keys text[] not null,
        search_terms text not null,
        search_text text not null generated always as (fold(search_terms)) stored,
        merged_into_id text references customers (id),
        archived_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint customers_name check (
          status = 'erased' or case kind when 'person' then last_name else company_name end is not null),
        constraint customers_merged check ((status = 'merged') = (merged_into_id is not null)),
        constraint customers_archived check ((status = 'archived') = (archived_at is not null))
      );
      create index customers_search on customers using gin (search_text gin_trgm_ops);
      create index customers_contact_keys on customers using gin (contact_keys);
      create index customers_birth_date on customers (birth_date) where birth_date is not null;
      create index customers_tags on customers using gin (tags);
      create index customers_name_order on customers (display_name, id);
      create index customers_created on customers (created_at, id);
      create index customers_merged_into on customers (merged_into_id) where merged_into_id is not null`);
    await runner.query(`
      create table customer_consents (
        id text primary key,
        customer_id text not null references customers (id),
        purpose text not null check (purpose in ('marketing_email', 'marketing_phone', 'health_data', 'photo')),
        granted boolean not null,
        source text not null,
        text_version text,
        given_at timestamptz not null,
        created_at timestamptz not null
      );
      create index customer_consents_of_customer on customer_consents (customer_id, purpose, given_at desc, id desc)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table customer_consents, customers');
  }
}
