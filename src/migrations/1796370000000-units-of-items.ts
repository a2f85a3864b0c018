import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The unit of a product that an item sells, and where its price comes from. Earlier items, and those of older builds, sell one
 * seat to one person at a typed price.
 */
export class UnitsOfItems1796370000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they write none of these columns, and their rows satisfy the constraints by the defaults. They take and release
    // one seat for each of an item's quantity: nothing must be sold by units until the last of them has stopped.
    await runner.query(`
      alter table booking_items
        add product_id text,
        add option_id text,
        add unit_id text,
        add seats_per_unit integer not null default 1,
        add people_per_unit integer not null default 1,
        add price_source text not null default 'manual',
        add list_unit_sell_cents bigint,
        add price_list_id text,
        add price_list_version integer,
        add constraint booking_items_option foreign key (option_id) references product_options (id) not valid,
        add constraint booking_items_unit foreign key (unit_id) references product_units (id) not valid,
        add constraint booking_items_price_list foreign key (price_list_id) references price_lists (id) not valid,
        add constraint booking_items_seats check (seats_per_unit between 0 and 50) not valid,
        add constraint booking_items_people check (people_per_unit between 0 and 50) not valid,
        add constraint booking_items_listed check (
          (price_list_id is null) = (price_list_version is null)
          and (price_source <> 'list' or price_list_id is not null)
        ) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table booking_items
        drop product_id,
        drop option_id,
        drop unit_id,
        drop seats_per_unit,
        drop people_per_unit,
        drop price_source,
        drop list_unit_sell_cents,
        drop price_list_id,
        drop price_list_version`);
  }
}
