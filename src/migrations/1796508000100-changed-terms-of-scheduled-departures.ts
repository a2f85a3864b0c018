import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which of the terms that staff also set by hand a departure has yet to take over from its changed schedule. */
export class ChangedTermsOfScheduledDepartures1796508000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they give their departures all terms of the schedule.
    await runner.query(`
      alter table scheduled_departures
        add column takes_option boolean not null default false,
        add column takes_unit_prices boolean not null default false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table scheduled_departures drop column takes_option, drop column takes_unit_prices');
  }
}
