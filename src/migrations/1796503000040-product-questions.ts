import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Questions of products, and each of their versions. */
export class ProductQuestions1796503000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table product_questions (
        id text primary key,
        product_id text not null constraint product_questions_product references products on delete restrict,
        scope text not null check (scope in ('booking', 'traveler', 'unit')),
        type text not null check (
          type in ('text', 'choice', 'multi_choice', 'integer', 'date', 'boolean', 'phone', 'country')),
        label text not null check (length(label) between 1 and 255),
        help text,
        texts jsonb not null check (jsonb_typeof(texts) = 'array'),
        choices jsonb not null check (jsonb_typeof(choices) = 'array'),
        required boolean not null,
        due_days_before integer check (due_days_before between 0 and 365),
        max_length integer check (max_length between 1 and 2000),
        min integer,
        max integer,
        show_if jsonb check (jsonb_typeof(show_if) = 'object'),
        field text,
        sensitive boolean not null,
        health_data boolean not null,
        position integer not null check (position between 0 and 10000),
        active boolean not null,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint product_questions_bounds check (max >= min),
        constraint product_questions_health check (not health_data or sensitive),
        constraint product_questions_field check (field is null or scope = 'traveler')
      );
      create index product_questions_of_product on product_questions (product_id, position, id);
      create table product_question_versions (
        question_id text not null references product_questions on delete cascade,
        version integer not null check (version > 0),
        content jsonb not null check (jsonb_typeof(content) = 'object'),
        created_at timestamptz not null,
        primary key (question_id, version)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table product_question_versions');
    await runner.query('drop table product_questions');
  }
}
