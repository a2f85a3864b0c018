import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Responses kept for idempotency are encrypted. Keys that were completed before are deleted with their responses: a request
 * of the last 24 hours that is repeated after the upgrade is carried out again.
 */
export class SealedAnswers1791000000720 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('delete from idempotency_keys where answer is not null');
    await runner.query('alter table idempotency_keys drop column answer, add column sealed_answer bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('delete from idempotency_keys where sealed_answer is not null');
    await runner.query('alter table idempotency_keys drop column sealed_answer, add column answer json');
  }
}
