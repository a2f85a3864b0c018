import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `ledger_append` runs with the rights of its owner, so the role of the service needs no right to insert entries or to change
 * heads. The fixed search path prevents that a caller replaces the tables by temporary ones.
 */
export class LedgerAppendRights1791000000800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter function ledger_append security definer set search_path = pg_catalog, public, pg_temp');
    // The service's role gets the right after the migrations.
    await runner.query('revoke execute on function ledger_append from public');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('grant execute on function ledger_append to public');
    await runner.query('alter function ledger_append security invoker reset search_path');
  }
}
