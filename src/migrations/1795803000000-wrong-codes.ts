import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts wrong one-time codes in a row. Older builds neither count them nor stop codes. */
export class WrongCodes1795803000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table second_factors
        add column wrong_codes integer not null default 0 check (wrong_codes between 0 and 9),
        add column codes_stopped_until timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table second_factors drop column wrong_codes, drop column codes_stopped_until');
  }
}
