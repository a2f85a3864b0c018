import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who has arrived for a departure: by traveler, or by seat for a guest whose name was not known. */
export class DepartureCheckIns1796300000060 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: the statements of the manifest read and write check-ins for many people at once.
    await runner.query(`
      create table departure_check_ins (
        id bigint generated always as identity primary key,
        departure_id text not null references departures (id),
        item_id text not null references booking_items (id),
        seat integer not null check (seat > 0),
        traveler_id text references booking_travelers (id) on delete cascade,
        state text not null check (state in ('arrived', 'no_show')),
        changed_by text not null,
        changed_at timestamptz not null
      );
      create unique index departure_check_ins_guest on departure_check_ins (departure_id, item_id, seat)
        where traveler_id is null;
      create unique index departure_check_ins_named on departure_check_ins (departure_id, item_id, traveler_id)
        where traveler_id is not null;
      create index departure_check_ins_item on departure_check_ins (item_id);
      create index departure_check_ins_traveler on departure_check_ins (traveler_id) where traveler_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table departure_check_ins');
  }
}
