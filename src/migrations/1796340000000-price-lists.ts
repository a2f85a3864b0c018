import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Price lists with their prices. Nothing that was sold refers to a price: items keep their own. */
export class PriceLists1796340000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table price_lists (
        id text primary key,
        name text not null,
        currency text not null,
        channel_id text constraint price_lists_channel references channels on delete restrict,
        sold_from date check (sold_from between '1900-01-01' and '2199-12-31'),
        sold_to date check (sold_to between '1900-01-01' and '2199-12-31'),
        priority integer not null,
        status text not null check (status in ('draft', 'active', 'retired')),
        price_count integer not null check (price_count between 0 and 2000),
        activated_at timestamptz,
        retired_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint price_lists_sale check (sold_to >= sold_from),
        constraint price_lists_activated check (status <> 'active' or activated_at is not null),
        constraint price_lists_retired check ((status = 'retired') = (retired_at is not null))
      );
      create index price_lists_status on price_lists (status, created_at);
      create index price_lists_created on price_lists (created_at, id);
      create index price_lists_channel_id on price_lists (channel_id) where channel_id is not null`);
    await runner.query(`
      create table prices (
        id text primary key,
        price_list_id text not null constraint prices_list references price_lists on delete restrict,
        product_id text not null constraint prices_product references products on delete restrict,
        option_id text constraint prices_option references product_options on delete restrict,
        unit_id text not null constraint prices_unit references product_units on delete restrict,
        position integer not null check (position between 1 and 2000),
        service_from date check (service_from between '1900-01-01' and '2199-12-31'),
        service_to date check (service_to between '1900-01-01' and '2199-12-31'),
        weekday integer check (weekday between 1 and 7),
        amount_cents bigint not null check (amount_cents between 0 and 9007199254740991),
        created_at timestamptz not null,
        constraint prices_season check (service_to >= service_from),
        constraint prices_no_overlap exclude using gist (
          price_list_id with =,
          product_id with =,
          coalesce(option_id, '') with =,
          unit_id with =,
          coalesce(weekday, 0) with =,
          daterange(service_from, service_to, '[]') with &&
        )
      );
      create index prices_of_list on prices (price_list_id, position);
      create index prices_of_product on prices (product_id);
      create index prices_of_unit on prices (unit_id);
      create index prices_of_option on prices (option_id) where option_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table prices, price_lists');
  }
}
