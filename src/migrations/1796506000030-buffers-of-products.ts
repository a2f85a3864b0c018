import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long the resources of a departure are needed before and after it. */
export class BuffersOfProducts1796506000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: their products have no buffers, and their assignments have the period of the departure.
    await runner.query(`
      alter table products
        add column buffer_before_minutes integer not null default 0,
        add column buffer_after_minutes integer not null default 0,
        add constraint products_buffers check (
          buffer_before_minutes between 0 and 10080 and buffer_after_minutes between 0 and 10080) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table products drop column buffer_before_minutes, drop column buffer_after_minutes');
  }
}
