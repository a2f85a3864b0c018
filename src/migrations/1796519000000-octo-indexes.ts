import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES: Readonly<Record<string, string>> = {
  octo_bookings_holds: `(connection_id) where status = 'ON_HOLD'`,
  octo_bookings_connection_id: '(connection_id, created_at)',
  octo_bookings_created_at: '(created_at)',
};

/** Indexes by which holds are counted and reservations are listed. Reads and writes of the table continue meanwhile. */
export class OctoIndexes1796519000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES)) {
      // A build that was killed leaves an invalid index.
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(`create index concurrently ${name} on octo_bookings ${columns}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`drop index ${name}`);
  }
}
