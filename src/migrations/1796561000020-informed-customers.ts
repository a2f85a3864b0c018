import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether reminder rules inform the customer about a cancellation. */
export class InformedCustomers1796561000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table cancellation_settlements add column informs_customer boolean not null default true',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table cancellation_settlements drop column informs_customer');
  }
}
