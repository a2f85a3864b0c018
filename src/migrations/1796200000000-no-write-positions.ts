import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drops the positions of each writer: whether a caller has just written is read from the action ledger. */
export class NoWritePositions1796200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: without replicas they do not use the table. With replicas they log an error for each write, which
    // succeeds, and read from the primary.
    await runner.query('drop table write_positions');
  }

  async down(runner: QueryRunner): Promise<void> {
    // No entity: one statement writes it after each commit.
    await runner.query(`
      create unlogged table write_positions (
        writer bigint primary key,
        wal_position pg_lsn not null,
        written_at timestamptz not null default now()
      ) with (fillfactor = 50)`);
    await runner.query(`comment on column write_positions.writer is 'hash of the principal or of the network address'`);
  }
}
