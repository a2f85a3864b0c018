import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The operator that owns a vault; null for the platform, which owns all existing vaults. */
export class VaultOwners1791000000310 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table vaults add operator_id text constraint vaults_operator references operators (id);
      create index vaults_operator_id on vaults (operator_id) where operator_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table vaults drop operator_id');
  }
}
