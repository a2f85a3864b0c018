import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who published a message. It is unknown, null, for messages published before, which are kept for three days at most. */
export class MessagePublishers1791000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table realtime_messages add published_by text
        check (published_by ~ '^(platform|operator:[A-Za-z0-9_-]{1,64}|key:[A-Za-z0-9_]{1,90})$')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table realtime_messages drop published_by');
  }
}
