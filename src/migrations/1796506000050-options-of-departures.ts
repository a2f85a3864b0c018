import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The option that a departure sells. */
export class OptionsOfDepartures1796506000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Without a foreign key: a departure stays when its option is deleted, and can then be given another one.
    // Older builds: they sell all options.
    await runner.query('alter table departures add column option_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table departures drop column option_id');
  }
}
