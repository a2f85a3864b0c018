import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Gives booked trips the customer of their booking, validates the reference, and adds the index by which the trips of a customer are
 * found. None of it delays statements for long.
 */
export class CustomersOfBookedTrips1796505000010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update trip_envelopes trip set customer_id = booking.customer_id
      from bookings booking
      where booking.id = trip.booking_id and trip.customer_id is null and booking.customer_id is not null
        and trip.erased_at is null`);
    await runner.query('alter table trip_envelopes validate constraint trip_envelopes_customer');
    // A build that was killed leaves an invalid index.
    await runner.query('drop index concurrently if exists trip_envelopes_of_customer');
    await runner.query(`
      create index concurrently trip_envelopes_of_customer on trip_envelopes (customer_id, id) where customer_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index trip_envelopes_of_customer');
  }
}
