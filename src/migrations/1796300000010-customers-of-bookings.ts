import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The customer of a booking, and the copies of further contacts that documents show. Earlier bookings have none. */
export class CustomersOfBookings1796300000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they write no `customer_id`, so that the reference never rejects their rows.
    await runner.query(`
      alter table bookings
        add customer_id text,
        add customer_phone text,
        add customer_language text,
        add customer_address text,
        add constraint bookings_customer foreign key (customer_id) references customers (id) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table bookings
        drop customer_id,
        drop customer_phone,
        drop customer_language,
        drop customer_address`);
  }
}
