import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The index by which payments are listed by their reference. */
export class PaymentReferences1792000001010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index payments_reference on payments (lower(reference)) where reference is not null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index payments_reference');
  }
}
