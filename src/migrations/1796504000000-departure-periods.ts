import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The index by which a calendar finds the departures that take place in a period. Sales do not touch its columns. */
export class DeparturePeriods1796504000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // A build that was killed leaves an invalid index.
    await runner.query('drop index concurrently if exists departures_period');
    await runner.query(
      'create index concurrently departures_period on departures using gist (tstzrange(starts_at, ends_at))',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index departures_period');
  }
}
