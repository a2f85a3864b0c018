import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the triggers of all rules, without the lock that the change of the constraint took. */
export class ValidatedCancellationMails1796561000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table reminder_rules validate constraint reminder_rules_trigger_check');
  }

  /** The constraint stays until the migration before is reverted. */
  async down(): Promise<void> {}
}
