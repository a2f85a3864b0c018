import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Notes of staff on records of several kinds. A subject has no foreign key, because it is in one of several tables; a writer
 * locks the subject before it inserts a note.
 */
export class Notes1796350000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table notes (
        id text primary key,
        subject_type text not null check (subject_type ~ '^[a-z_]{1,50}$'),
        subject_id text not null check (length(subject_id) between 1 and 128),
        text text not null check (length(text) between 1 and 5000),
        pinned boolean not null,
        visibility text not null check (visibility in ('internal', 'guide')),
        author_id text not null,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create index notes_of_subject on notes (subject_id, created_at, id);
      create index notes_newest on notes (created_at, id);
      create index notes_changed on notes (updated_at, id)`);

    // No entity: rows are only appended and listed, and their key is the note with its version.
    await runner.query(`
      create table note_revisions (
        note_id text not null references notes (id) on delete cascade,
        version integer not null check (version > 0),
        text text not null,
        created_at timestamptz not null,
        primary key (note_id, version)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table note_revisions');
    await runner.query('drop table notes');
  }
}
