import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Bookings store on which day their services begin and on which local day the last of them ends. */
export class BookingDates1792000000710 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table bookings add departure_date date, add return_date date;
      update bookings b set departure_date = coalesce(i.first, b.start_date), return_date = coalesce(i.last, b.end_date)
      from (
        select booking.id, min(item.service_date) as first,
          max(greatest(item.service_date, (d.ends_at at time zone d.time_zone)::date)) as last
        from bookings booking
        left join booking_items item on item.booking_id = booking.id and item.status <> 'cancelled'
        left join departures d on d.id = item.departure_id
        group by booking.id
      ) i where i.id = b.id and coalesce(i.first, i.last, b.start_date, b.end_date) is not null;
      create index bookings_departure_date on bookings (departure_date, id);
      create index bookings_return_date on bookings (return_date) where status = 'in_progress';`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table bookings drop departure_date, drop return_date');
  }
}
