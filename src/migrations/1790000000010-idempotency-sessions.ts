import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which session a key is worked under: once that is over, the same request may be carried out again at once. */
export class IdempotencySessions1790000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table idempotency_keys add session integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table idempotency_keys drop session');
  }
}
