import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The duplicate from which a merge carried the withdrawal of a consent over. */
export class CarriedWithdrawals1796300000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they write no `carried_from_id`, so that the reference never rejects their rows.
    await runner.query(`
      alter table customer_consents
        add carried_from_id text,
        add constraint customer_consents_carried_from foreign key (carried_from_id) references customers (id) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table customer_consents drop carried_from_id');
  }
}
