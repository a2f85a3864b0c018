import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The option and the prices of units that a schedule gives to its departures. */
export class OptionsOfSchedules1796506000055 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A development build has added the columns in the migration before.
    // Older builds: they make departures without an option and prices of units.
    await runner.query(`
      alter table departure_schedules
        add column if not exists option_id text,
        add column if not exists unit_prices jsonb not null default '[]',
        drop constraint if exists departure_schedules_unit_prices,
        add constraint departure_schedules_unit_prices check (jsonb_typeof(unit_prices) = 'array') not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table departure_schedules drop column option_id, drop column unit_prices');
  }
}
