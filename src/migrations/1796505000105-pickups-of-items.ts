import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the people of a booking item are picked up. */
export class PickupsOfItems1796505000105 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they keep the pickup of an item, and may leave one on an item that they take off its departure.
    await runner.query(`
      alter table booking_items
        add column pickup_facility_id text,
        add column pickup_note text,
        add constraint booking_items_pickup_facility foreign key (pickup_facility_id) references facilities (id) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table booking_items drop column pickup_facility_id, drop column pickup_note');
  }
}
