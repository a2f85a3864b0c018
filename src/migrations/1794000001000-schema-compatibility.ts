import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The version of the oldest build that may run on the schema, so that builds of two versions can run beside each other. */
export class SchemaCompatibility1794000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: migrations write it, and a start reads it before there is an application.
    await runner.query(`
      create table schema_compatibility (
        only_row boolean primary key default true check (only_row),
        oldest_build bigint not null check (oldest_build between 1790000000000 and 9999999999999)
      )`);
    await runner.query(`
      comment on column schema_compatibility.oldest_build is 'number of the last migration that a build must know to run'`);
    await runner.query('insert into schema_compatibility (oldest_build) values (1793000000810)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table schema_compatibility');
  }
}
