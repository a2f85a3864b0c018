import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Units of components of trips, their prices, and all items that a component became. */
export class UnitsOfComponents1796506000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they price a component with units like a quantity and keep the lines. Newer ones then reject the booking, and
    // the trip is priced again.
    await runner.query(`
      alter table trip_components
        add column option_id text,
        add column units jsonb not null default '[]',
        add column lines jsonb not null default '[]',
        add column booking_item_ids text[] not null default '{}',
        add constraint trip_components_units check (
          jsonb_typeof(units) = 'array' and jsonb_typeof(lines) = 'array'
          and (units = '[]' or kind = 'catalog_booking') and (option_id is null or units <> '[]')) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table trip_components drop column option_id, drop column units, drop column lines, drop column booking_item_ids',
    );
  }
}
