import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Until when a departure is sold, and from how many units on it runs. Existing departures have neither a cut-off nor a
 * minimum.
 */
export class DepartureSales1793000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table departures
        add cutoff jsonb,
        add cutoff_at timestamptz,
        add sales_closed_at timestamptz,
        add min_participants integer check (min_participants between 1 and 1000000),
        add decide_by timestamptz,
        add guaranteed_at timestamptz,
        add minimum_not_reached_at timestamptz,
        add eu_package boolean not null default false,
        add constraint departures_cutoff check ((cutoff is null) = (cutoff_at is null) and cutoff_at <= starts_at),
        add constraint departures_decision check (
          decide_by is null or min_participants is not null and decide_by <= starts_at
        );
      create index departures_undecided on departures (decide_by)
        where status = 'scheduled' and guaranteed_at is null and minimum_not_reached_at is null;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table departures drop cutoff, drop cutoff_at, drop sales_closed_at, drop min_participants, drop decide_by,
        drop guaranteed_at, drop minimum_not_reached_at, drop eu_package`);
  }
}
