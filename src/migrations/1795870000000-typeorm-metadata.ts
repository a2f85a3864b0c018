import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table that TypeORM's command `schema:log` reads about generated columns. */
export class TypeormMetadata1795870000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: it belongs to TypeORM, and stays empty because migrations, not entities, generate columns.
    await runner.query(`
      create table typeorm_metadata (
        type varchar not null,
        database varchar,
        schema varchar,
        "table" varchar,
        name varchar,
        value text
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table typeorm_metadata');
  }
}
