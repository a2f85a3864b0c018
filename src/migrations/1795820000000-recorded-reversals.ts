import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The state of a reversal that only recorded an entry as answered, without undoing it. It blocks no real reversal. */
export class RecordedReversals1795820000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: the states that they write satisfy the wider constraint, and keep their unique key.
    await runner.query(`
      alter table ledger_reversals
        drop constraint ledger_reversals_state_check,
        add constraint ledger_reversals_state_check check (state in ('running', 'completed', 'failed', 'recorded'))`);
    await runner.query(`
      drop index ledger_reversals_live_original;
      create unique index ledger_reversals_live_original on ledger_reversals (original_id)
        where state in ('running', 'completed');
      create unique index ledger_reversals_recorded_original on ledger_reversals (original_id) where state = 'recorded'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index ledger_reversals_live_original, ledger_reversals_recorded_original;
      create unique index ledger_reversals_live_original on ledger_reversals (original_id) where state <> 'failed'`);
    await runner.query(`
      alter table ledger_reversals
        drop constraint ledger_reversals_state_check,
        add constraint ledger_reversals_state_check check (state in ('running', 'completed', 'failed'))`);
  }
}
