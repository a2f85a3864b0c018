import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The places at which people of a departure are picked up. */
export class PickupsOfDepartures1796505000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: their departures have no pickups.
    await runner.query(`
      alter table departures
        add column pickups jsonb not null default '[]',
        add constraint departures_pickups check (jsonb_typeof(pickups) = 'array') not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table departures drop column pickups');
  }
}
