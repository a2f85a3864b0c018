import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last integrity report: reading whole tables takes longer than a request may on a large company's books. */
export class IntegrityReport1790000002010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table integrity_report (
        is_only boolean primary key default true check (is_only),
        checked_at timestamptz not null,
        checks jsonb not null check (jsonb_typeof(checks) = 'array')
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table integrity_report');
  }
}
