import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets an UPDATE that must change one row fail on the server, so that its result is not awaited before the COMMIT. */
export class RequiredRows1794000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function require_one_row(rule text) returns int language plpgsql as $$
        begin
          raise exception 'The row was changed by another transaction or does not exist'
            using errcode = 'assert_failure', constraint = rule;
        end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function require_one_row');
  }
}
