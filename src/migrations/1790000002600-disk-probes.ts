import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A row that is written to learn whether a disk that was full has space again. Only that SQL uses it: no entity. */
export class DiskProbes1790000002600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table disk_probes (content bytea not null)`);
    // Random bytes do not shrink; compressing them would be work for nothing.
    await runner.query(`alter table disk_probes alter content set storage external`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table disk_probes');
  }
}
