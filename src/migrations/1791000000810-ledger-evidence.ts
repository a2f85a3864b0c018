import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Erasures of payloads, each with the entry that records it, and the digests of the checkpoints in the file outside the
 * database, so that a deleted line is noticed.
 */
export class LedgerEvidence1791000000810 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: inserted as one set, and never changed. The entry of the erasure is written at the end of the transaction.
    await runner.query(`
      create table ledger_erasures (
        entry_id text primary key references action_ledger_entries (id),
        erasure_id text not null constraint ledger_erasures_erasure references action_ledger_entries (id)
          deferrable initially deferred,
        created_at timestamptz not null
      );
      create index ledger_erasures_erasure_id on ledger_erasures (erasure_id);
      create trigger ledger_erasures_append_only before update or delete or truncate on ledger_erasures
      for each statement execute function refuse_change();`);
    // No entity: one row is inserted for each line of the file.
    await runner.query(`
      create table ledger_checkpoints (
        number bigint primary key check (number > 0),
        digest bytea not null check (length(digest) = 32),
        created_at timestamptz not null
      );
      create trigger ledger_checkpoints_append_only before update or delete or truncate on ledger_checkpoints
      for each statement execute function refuse_change();`);
    await this.recordErasures(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger ledger_payloads_erasure_recorded on ledger_payloads');
    await runner.query('drop table ledger_checkpoints, ledger_erasures');
    await runner.query('drop function assert_erasure');
  }

  /** At the commit, because the entry is the last that a transaction writes. */
  private async recordErasures(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function assert_erasure() returns trigger language plpgsql as $$
      begin
        perform from ledger_erasures erasure
          join action_ledger_entries entry on entry.id = erasure.erasure_id
          join ledger_payloads record on record.entry_id = erasure.erasure_id
          join ledger_payloads erased on erased.entry_id = erasure.entry_id
          join action_ledger_entries original on original.id = erasure.entry_id,
          json_array_elements(record.after -> 'entries') as listed
        where erasure.entry_id = new.entry_id
          and entry.action = 'action-ledger.payload.erase' and original.action <> 'action-ledger.payload.erase'
          and listed ->> 'id' = erasure.entry_id and listed ->> 'digest' = encode(erased.digest, 'hex')
          and erased.before is null and erased.after is null;
        if not found then
          raise exception 'The erasure of a payload needs an entry that records it'
            using errcode = 'restrict_violation', constraint = 'ledger_erasures_recorded';
        end if;
        return null;
      end $$;
      create constraint trigger ledger_payloads_erasure_recorded after update on ledger_payloads
      deferrable initially deferred for each row
      when ((old.before is not null or old.after is not null) and new.before is null and new.after is null)
      execute function assert_erasure();
      create constraint trigger ledger_erasures_recorded after insert on ledger_erasures
      deferrable initially deferred for each row execute function assert_erasure();`);
  }
}
