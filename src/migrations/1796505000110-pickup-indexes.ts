import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Validates the constraints of pickups, and adds the indexes by which the uses of a facility are found. Neither delays statements. */
export class PickupIndexes1796505000110 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table departures validate constraint departures_pickups');
    await runner.query('alter table booking_items validate constraint booking_items_pickup_facility');
    // A build that was killed leaves an invalid index.
    await runner.query('drop index concurrently if exists departures_by_pickup');
    await runner.query(
      `create index concurrently departures_by_pickup on departures using gin (pickups jsonb_path_ops) where pickups <> '[]'`,
    );
    await runner.query('drop index concurrently if exists booking_items_pickup_facility_id');
    await runner.query(
      `create index concurrently booking_items_pickup_facility_id on booking_items (pickup_facility_id)
       where pickup_facility_id is not null`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index booking_items_pickup_facility_id');
    await runner.query('drop index departures_by_pickup');
  }
}
