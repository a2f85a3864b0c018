import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers of bookings to the questions of their products. */
export class BookingAnswers1796503000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table booking_answers (
        id text primary key,
        booking_id text not null references bookings on delete restrict,
        question_id text not null,
        question_version integer not null,
        traveler_id text references booking_travelers on delete cascade,
        item_id text references booking_items on delete restrict,
        unit_number integer check (unit_number between 1 and 1000),
        values text[],
        sealed text,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint booking_answers_question foreign key (question_id, question_version)
          references product_question_versions (question_id, version) on delete restrict,
        constraint booking_answers_once unique nulls not distinct
          (booking_id, question_id, traveler_id, item_id, unit_number),
        constraint booking_answers_target check (
          (item_id is null) = (unit_number is null) and num_nonnulls(traveler_id, item_id) <= 1),
        constraint booking_answers_content check (num_nonnulls(values, sealed) = 1)
      );
      create index booking_answers_of_question on booking_answers (question_id, question_version);
      create index booking_answers_traveler on booking_answers (traveler_id) where traveler_id is not null;
      create index booking_answers_item on booking_answers (item_id) where item_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table booking_answers');
  }
}
