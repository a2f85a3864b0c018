import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tasks of staff, with or without a record. The service raises some of them itself, one for each cause. */
export class Tasks1796350000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table tasks (
        id text primary key,
        title text not null check (length(title) between 1 and 255),
        due_on date check (due_on between '1900-01-01' and '2199-12-31'),
        assignee_id text references users (id),
        subject_type text check (subject_type ~ '^[a-z_]{1,50}$'),
        subject_id text check (length(subject_id) between 1 and 128),
        status text not null check (status in ('open', 'done', 'dismissed')),
        source text not null check (source ~ '^[a-z_]{1,50}$'),
        dedupe_key text check (length(dedupe_key) between 1 and 200),
        created_by text not null,
        closed_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint tasks_subject check ((subject_type is null) = (subject_id is null)),
        constraint tasks_closed check ((status = 'open') = (closed_at is null)),
        constraint tasks_raised check (source <> 'staff' or dedupe_key is null)
      );
      create unique index tasks_cause on tasks (source, dedupe_key) where dedupe_key is not null;
      create index tasks_of_subject on tasks (subject_id, created_at, id);
      create index tasks_of_assignee on tasks (assignee_id, due_on, id) where status = 'open';
      create index tasks_due on tasks (due_on, id);
      create index tasks_newest on tasks (created_at, id);
      create index tasks_changed on tasks (updated_at, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table tasks');
  }
}
