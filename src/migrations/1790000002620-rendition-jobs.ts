import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A rendition is one job of the queue, which locks and retries it, so it needs no lease and no index to sweep by. */
export class RenditionJobs1790000002620 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index invoice_renditions_pending');
    await runner.query('alter table invoice_renditions drop constraint invoice_renditions_lease');
    await runner.query('alter table invoice_renditions drop column lease_until');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table invoice_renditions add column lease_until timestamptz');
    await runner.query(`
      alter table invoice_renditions add constraint invoice_renditions_lease
      check (lease_until is null or status = 'pending')`);
    await runner.query(`
      create index invoice_renditions_pending on invoice_renditions (created_at) where status = 'pending'`);
  }
}
