import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where each caller wrote last in the write-ahead log, so that it never reads from a replica without that write. */
export class WritePositions1794000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: one statement writes it after each commit, and one reads it, over a connection that monitors.
    // Unlogged: a replica cannot read it, and a crash may empty it (`PrimaryPositions`). Updates stay on their page.
    await runner.query(`
      create unlogged table write_positions (
        writer bigint primary key,
        wal_position pg_lsn not null,
        written_at timestamptz not null default now()
      ) with (fillfactor = 50)`);
    await runner.query(`comment on column write_positions.writer is 'hash of the principal or of the network address'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table write_positions');
  }
}
