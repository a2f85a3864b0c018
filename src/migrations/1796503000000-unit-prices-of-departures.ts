import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Prices of units on a departure, which precede price lists. */
export class UnitPricesOfDepartures1796503000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: their departures have no such prices, so they sell them at the prices that they know.
    await runner.query(`
      alter table departures
        add column unit_prices jsonb not null default '[]',
        add constraint departures_unit_prices check (jsonb_typeof(unit_prices) = 'array') not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table departures drop column unit_prices');
  }
}
