import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Extras of products, and the items of bookings that sell them. */
export class ProductExtras1796503000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table product_extras (
        id text primary key,
        product_id text not null constraint product_extras_product references products on delete restrict,
        name text not null check (length(name) between 1 and 255),
        texts jsonb not null check (jsonb_typeof(texts) = 'array'),
        kind text not null check (kind in ('service', 'meal', 'transport', 'insurance', 'equipment')),
        pricing text not null check (pricing in ('per_booking', 'per_person', 'per_unit_quantity')),
        prices jsonb not null check (jsonb_typeof(prices) = 'array'),
        tax_code_id text constraint product_extras_tax_code references tax_codes on delete restrict,
        required boolean not null,
        min_quantity integer check (min_quantity between 1 and 100000),
        max_quantity integer check (max_quantity between 1 and 100000),
        option_ids text[],
        position integer not null check (position between 0 and 10000),
        active boolean not null,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint product_extras_quantity check (max_quantity >= min_quantity)
      );
      create index product_extras_of_product on product_extras (product_id, position, id);
      create index product_extras_tax_code on product_extras (tax_code_id) where tax_code_id is not null`);
    // Older builds: they sell no extras, and items of extras take no capacity of their departures in any build.
    await runner.query(`
      alter table booking_items
        add extra_id text,
        add constraint booking_items_extra foreign key (extra_id) references product_extras (id) not valid,
        add constraint booking_items_extra_takes_nothing check (
          extra_id is null or unit_id is null and seats_per_unit = 0 and people_per_unit = 0
        ) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table booking_items drop extra_id');
    await runner.query('drop table product_extras');
  }
}
