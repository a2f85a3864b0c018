import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rooms of departures, the nights for which they are taken, and who sleeps in them. */
export class DepartureRooms1796410000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: it only counts the versions of the rooms of a departure, which are written as a whole.
    await runner.query(`
      create table departure_roomings (
        departure_id text primary key references departures (id),
        version integer not null check (version > 0),
        updated_at timestamptz not null
      )`);
    // No entity: the rooms of a departure are replaced as a whole.
    await runner.query(`
      create table departure_rooms (
        departure_id text not null references departure_roomings (departure_id),
        position integer not null check (position between 1 and 500),
        facility_id text references facilities (id),
        from_date date not null,
        to_date date not null check (to_date > from_date),
        type text not null check (type in ('single', 'double', 'twin', 'triple', 'quad', 'family', 'dorm')),
        capacity integer not null check (capacity between 1 and 100),
        label text,
        note text,
        primary key (departure_id, position),
        unique (departure_id, position, from_date, to_date)
      );
      create index departure_rooms_facility on departure_rooms (facility_id) where facility_id is not null`);
    // No entity: the people of a room are replaced with it. The nights are copied from the room for the exclusion. The reference to
    // the traveler is checked at the commit: whoever deletes a traveler then empties the bed and raises the version of the rooms.
    await runner.query(`
      create table departure_room_travelers (
        departure_id text not null,
        position integer not null,
        from_date date not null,
        to_date date not null,
        place integer not null check (place > 0),
        traveler_id text not null references booking_travelers (id) deferrable initially deferred,
        booking_id text not null references bookings (id),
        primary key (departure_id, position, traveler_id),
        foreign key (departure_id, position, from_date, to_date)
          references departure_rooms (departure_id, position, from_date, to_date) on delete cascade,
        constraint departure_room_travelers_one_room
          exclude using gist (traveler_id with =, daterange(from_date, to_date) with &&)
      );
      create index departure_room_travelers_booking on departure_room_travelers (booking_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table departure_room_travelers');
    await runner.query('drop table departure_rooms');
    await runner.query('drop table departure_roomings');
  }
}
