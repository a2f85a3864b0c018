import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the departures from before the constraint. Reads and writes of the table continue meanwhile. */
export class ValidatedUnitPricesOfDepartures1796503000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table departures validate constraint departures_unit_prices');
  }

  /** The earlier migration drops the constraint with its column. */
  async down(): Promise<void> {}
}
