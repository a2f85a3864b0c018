import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The operator that owns a connector provider; null for the platform. Existing providers belong to the platform, that of the
 * demo data to the demo operator.
 */
export class ConnectorProviderOwners1791000000320 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table connector_providers add operator_id text references operators (id);
      create index connector_providers_operator_id on connector_providers (operator_id, key);
      update connector_providers set operator_id = 'op_demo'
      where key = 'demo-activities' and exists (select from operators where id = 'op_demo')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table connector_providers drop operator_id');
  }
}
