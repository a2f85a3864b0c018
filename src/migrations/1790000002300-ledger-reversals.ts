import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Reversals are carried out now. The row is claimed before the reversal's own entry is written, so it names one that
 * comes at the end of the transaction. A reversal that is over stays as it is; nobody takes one away.
 */
export class LedgerReversals1790000002300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table ledger_reversals
        drop constraint ledger_reversals_reversal_id_fkey,
        add constraint ledger_reversals_reversal foreign key (reversal_id) references action_ledger_entries (id)
          deferrable initially deferred,
        add constraint ledger_reversals_reversal_id unique (reversal_id),
        add constraint ledger_reversals_of_another check (reversal_id <> original_id),
        add column attempts integer not null default 0 check (attempts >= 0),
        add column failure text check (length(failure) between 1 and 2000),
        add column finished_at timestamptz,
        add constraint ledger_reversals_has_outcome check ((state = 'completed') = (outcome is not null)),
        add constraint ledger_reversals_is_finished check ((state = 'running') = (finished_at is null)),
        add constraint ledger_reversals_why_failed check (state <> 'failed' or failure is not null)`);
    await runner.query(`
      create trigger ledger_reversals_kept before delete or truncate on ledger_reversals
      for each statement execute function refuse_change()`);
    await runner.query(`
      create trigger ledger_reversals_over before update on ledger_reversals for each row
      when (old.state <> 'running' or new.id <> old.id or new.original_id <> old.original_id
            or new.reversal_id <> old.reversal_id or new.created_at <> old.created_at)
      execute function refuse_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger ledger_reversals_over on ledger_reversals');
    await runner.query('drop trigger ledger_reversals_kept on ledger_reversals');
    await runner.query(`
      alter table ledger_reversals
        drop column finished_at,
        drop column failure,
        drop column attempts,
        drop constraint ledger_reversals_of_another,
        drop constraint ledger_reversals_reversal_id,
        drop constraint ledger_reversals_reversal,
        add constraint ledger_reversals_reversal_id_fkey foreign key (reversal_id) references action_ledger_entries (id)`);
  }
}
