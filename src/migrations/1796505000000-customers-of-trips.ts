import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The customer of a trip. Booked trips take that of their booking in the next migration. */
export class CustomersOfTrips1796505000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they write no `customer_id`, so that the reference never rejects their rows.
    await runner.query(`
      alter table trip_envelopes
        add customer_id text,
        add constraint trip_envelopes_customer foreign key (customer_id) references customers (id) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table trip_envelopes drop customer_id');
  }
}
