import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the components from before the constraint. Reads and writes of the table continue meanwhile. */
export class ValidatedUnitsOfComponents1796506000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table trip_components validate constraint trip_components_units');
  }

  /** The earlier migration drops the constraint with its columns. */
  async down(): Promise<void> {}
}
