import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the contracts from before the constraint. Reads and writes of the table continue meanwhile. */
export class ValidatedContractSignatures1796504000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table contracts validate constraint contracts_signature');
  }

  /** The earlier migration drops the constraint. */
  async down(): Promise<void> {}
}
