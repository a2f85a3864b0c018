import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From which start and meeting point a departure of a confirmed booking was moved, for the mail to its customer. */
export class DepartureMovesOfBookings1796560000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: few statements write a row, and the source of reminders reads it.
    await runner.query(`
      create table booking_departure_moves (
        booking_id text not null references bookings on delete restrict,
        departure_id text not null references departures on delete restrict,
        from_starts_at timestamptz not null,
        from_facility_id text references facilities on delete restrict,
        first_moved_at timestamptz not null,
        moved_at timestamptz not null,
        primary key (booking_id, departure_id),
        constraint booking_departure_moves_order check (first_moved_at <= moved_at)
      );
      create index booking_departure_moves_departure_id on booking_departure_moves (departure_id);
      create index booking_departure_moves_from_facility_id on booking_departure_moves (from_facility_id)
        where from_facility_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table booking_departure_moves');
  }
}
