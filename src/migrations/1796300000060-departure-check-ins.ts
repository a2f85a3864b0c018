import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who has arrived for a departure, by seat; `traveler_id` is the person who had the seat, or null for a guest without a name. */
export class DepartureCheckIns1796300000060 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table departure_check_ins (
        departure_id text not null references departures (id),
        item_id text not null references booking_items (id),
        seat integer not null check (seat > 0),
        traveler_id text references booking_travelers (id) on delete cascade,
        state text not null check (state in ('arrived', 'no_show')),
        changed_by text not null,
        changed_at timestamptz not null,
        primary key (departure_id, item_id, seat)
      );
      create index departure_check_ins_traveler on departure_check_ins (traveler_id) where traveler_id is not null;
      create index departure_check_ins_changed on departure_check_ins (changed_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table departure_check_ins');
  }
}
