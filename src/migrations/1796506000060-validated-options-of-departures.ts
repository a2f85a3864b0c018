import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the schedules from before the constraint. Reads and writes of the table continue meanwhile. */
export class ValidatedOptionsOfDepartures1796506000060 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table departure_schedules validate constraint departure_schedules_unit_prices');
  }

  /** The earlier migration drops the constraint with its column. */
  async down(): Promise<void> {}
}
