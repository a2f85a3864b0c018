import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Products with their options and units. Departures and allotments name a product by its id, also without a record; each id in
 * use gets a draft.
 */
export class Products1796320000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table products (
        id text primary key check (id ~ '^[A-Za-z0-9._:-]{1,128}$' and id <> 'price-lists'),
        name text not null,
        kind text not null check (
          kind in ('day_tour', 'multi_day', 'transfer', 'ticket', 'rental', 'accommodation', 'service')),
        status text not null check (status in ('draft', 'active', 'archived')),
        time_zone text not null,
        duration_minutes integer check (duration_minutes > 0),
        default_capacity integer check (default_capacity >= 0),
        facility_id text constraint products_facility references facilities on delete restrict,
        tax_code_id text constraint products_tax_code references tax_codes on delete restrict,
        cutoff jsonb,
        min_participants integer check (min_participants > 0),
        decide_days_before integer check (decide_days_before between 0 and 365),
        required_contact_fields text[] not null,
        required_traveler_fields text[] not null,
        resource_needs jsonb not null check (jsonb_array_length(resource_needs) <= 20),
        issue_vouchers text not null check (issue_vouchers in ('on_confirmation', 'when_paid', 'never')),
        texts jsonb not null check (jsonb_array_length(texts) <= 30),
        media jsonb not null check (jsonb_array_length(media) <= 50),
        search_terms text not null,
        search_text text not null generated always as (fold(search_terms)) stored,
        activated_at timestamptz,
        archived_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint products_minimum check (decide_days_before is null or min_participants is not null),
        constraint products_activated check (status <> 'active' or activated_at is not null),
        constraint products_archived check ((status = 'archived') = (archived_at is not null))
      );
      create index products_search on products using gin (search_text gin_trgm_ops);
      create index products_status_name on products (status, name, id);
      create index products_created on products (created_at, id);
      create index products_facility on products (facility_id) where facility_id is not null;
      create index products_tax_code on products (tax_code_id) where tax_code_id is not null`);
    await runner.query(`
      create table product_options (
        id text primary key,
        product_id text not null constraint product_options_product references products on delete restrict,
        name text not null,
        is_default boolean not null,
        position integer not null check (position >= 0),
        start_times text[] not null check (cardinality(start_times) <= 24),
        min_units integer check (min_units > 0),
        max_units integer check (max_units >= coalesce(min_units, 1)),
        cutoff jsonb,
        active boolean not null,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create index product_options_of_product on product_options (product_id, position, id);
      create unique index product_options_default on product_options (product_id) where is_default`);
    await runner.query(`
      create table product_units (
        id text primary key,
        product_id text not null constraint product_units_product references products on delete restrict,
        type text not null check (
          type in ('adult', 'youth', 'child', 'infant', 'family', 'senior', 'student', 'military', 'other')),
        name text not null,
        position integer not null check (position >= 0),
        min_age integer check (min_age >= 0),
        max_age integer check (max_age >= coalesce(min_age, 0)),
        pax_count integer not null check (pax_count between 0 and 50),
        seats integer not null check (seats between 0 and 50),
        min_quantity integer check (min_quantity > 0),
        max_quantity integer check (max_quantity >= coalesce(min_quantity, 1)),
        accompanied_by text[] not null check (cardinality(accompanied_by) <= 20 and not id = any (accompanied_by)),
        id_required boolean not null,
        tax_code_id text constraint product_units_tax_code references tax_codes on delete restrict,
        cost_cents bigint check (cost_cents >= 0),
        cost_currency text,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint product_units_cost check ((cost_cents is null) = (cost_currency is null))
      );
      create index product_units_of_product on product_units (product_id, position, id);
      create index product_units_tax_code on product_units (tax_code_id) where tax_code_id is not null`);
    await runner.query(`
      insert into products (id, name, kind, status, time_zone, required_contact_fields, required_traveler_fields,
        resource_needs, issue_vouchers, texts, media, search_terms, version, created_at, updated_at)
      select used.product_id, used.product_id, 'service', 'draft', coalesce(max(used.time_zone), 'UTC'), '{}', '{}',
        '[]', 'on_confirmation', '[]', '[]', used.product_id, 1, now(), now()
      from (
        select product_id, time_zone from departures
        union all
        select product_id, null from allotments where deleted_at is null
      ) as used
      where used.product_id <> 'price-lists'
      group by used.product_id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table product_units, product_options, products');
  }
}
