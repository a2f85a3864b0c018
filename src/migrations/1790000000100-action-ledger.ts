import type { MigrationInterface, QueryRunner } from 'typeorm';

const CHAINS = 64;

/**
 * The action ledger: hash chains of audit entries. Entries never change: triggers reject UPDATE, DELETE and TRUNCATE.
 */
export class ActionLedger1790000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createEntries(runner);
    await this.createReversals(runner);
    await this.createAppend(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function ledger_append');
    await runner.query('drop table ledger_reversals, ledger_payloads, action_ledger_entries, ledger_heads');
    await runner.query('drop function refuse_change');
  }

  private async createEntries(runner: QueryRunner): Promise<void> {
    // Other append-only tables use this function too.
    await runner.query(`
      create function refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
      end $$`);

    // Several chains, because a transaction locks the head of its chain until it commits.
    // No entity: only `ledger_append` writes heads.
    await runner.query(`
      create table ledger_heads (
        chain smallint primary key check (chain between 0 and ${CHAINS - 1}),
        position bigint not null default 0 check (position >= 0),
        hash bytea not null check (length(hash) = 32)
      );
      create trigger ledger_heads_kept before delete or truncate on ledger_heads
      for each statement execute function refuse_change();`);
    await runner.query(`
      insert into ledger_heads (chain, hash)
      select chain, sha256(convert_to('ledger-chain-' || chain, 'UTF8')) from generate_series(0, ${CHAINS - 1}) as chain`);

    // `created_at` has milliseconds because the digest covers no finer fraction.
    // No entity: only `ledger_append` inserts entries, and they never change.
    await runner.query(`
      create table action_ledger_entries (
        sequence bigint generated always as identity unique,
        id text primary key,
        action text not null check (length(action) between 1 and 200),
        subject_type text not null check (length(subject_type) between 1 and 100),
        subject_id text not null check (length(subject_id) between 1 and 200),
        actor_type text not null check (actor_type in ('user', 'api_key', 'oauth_client', 'system')),
        actor_id text not null check (length(actor_id) between 1 and 200),
        reason text check (length(reason) between 1 and 2000),
        reverses_entry_id text references action_ledger_entries (id),
        correlation_id text not null check (length(correlation_id) between 1 and 128),
        created_at timestamptz(3) not null,
        chain smallint not null references ledger_heads (chain),
        position bigint not null check (position > 0),
        digest bytea not null check (length(digest) = 32),
        hash bytea not null unique check (length(hash) = 32),
        unique (chain, position)
      );
      create index action_ledger_entries_subject on action_ledger_entries (subject_type, subject_id, sequence);
      create index action_ledger_entries_actor on action_ledger_entries (actor_id, sequence);
      create index action_ledger_entries_action on action_ledger_entries (action, sequence);
      create trigger action_ledger_entries_append_only before update or delete or truncate on action_ledger_entries
      for each statement execute function refuse_change();`);

    // Payloads have their own table, so that they can be erased: both sides become null, the row and its digest stay.
    // No entity: only `ledger_append` inserts payloads.
    await runner.query(`
      create table ledger_payloads (
        entry_id text primary key references action_ledger_entries (id),
        before json,
        after json,
        digest bytea not null check (length(digest) = 32)
      );
      create trigger ledger_payloads_kept before delete or truncate on ledger_payloads
      for each statement execute function refuse_change();
      create trigger ledger_payloads_erased_at_most before update on ledger_payloads for each row
      when (new.before is not null or new.after is not null or new.entry_id <> old.entry_id or new.digest <> old.digest)
      execute function refuse_change();`);
  }

  private async createReversals(runner: QueryRunner): Promise<void> {
    // The row is inserted before the entry of the reversal, which is written at the end of the transaction: the foreign
    // key is deferred. A finished reversal never changes.
    // No entity: the state changes by conditional updates only.
    await runner.query(`
      create table ledger_reversals (
        id text primary key,
        original_id text not null references action_ledger_entries (id),
        reversal_id text not null constraint ledger_reversals_reversal_id unique,
        state text not null check (state in ('running', 'completed', 'failed')),
        outcome text check (outcome in ('full', 'partial')),
        created_at timestamptz not null,
        attempts integer not null default 0 check (attempts >= 0),
        failure text check (length(failure) between 1 and 2000),
        finished_at timestamptz,
        constraint ledger_reversals_reversal foreign key (reversal_id) references action_ledger_entries (id)
          deferrable initially deferred,
        constraint ledger_reversals_of_another check (reversal_id <> original_id),
        constraint ledger_reversals_has_outcome check ((state = 'completed') = (outcome is not null)),
        constraint ledger_reversals_is_finished check ((state = 'running') = (finished_at is null)),
        constraint ledger_reversals_why_failed check (state <> 'failed' or failure is not null)
      );
      create unique index ledger_reversals_live_original on ledger_reversals (original_id) where state <> 'failed';
      create trigger ledger_reversals_kept before delete or truncate on ledger_reversals
      for each statement execute function refuse_change();
      create trigger ledger_reversals_over before update on ledger_reversals for each row
      when (old.state <> 'running' or new.id <> old.id or new.original_id <> old.original_id
            or new.reversal_id <> old.reversal_id or new.created_at <> old.created_at)
      execute function refuse_change();`);
  }

  /**
   * Writes all entries of a transaction in one statement. It locks the heads in the order of their chains and keeps
   * them locked until the commit, which follows immediately. The sequence of an entry is drawn while its head is
   * locked, so sequences along a chain only increase.
   */
  private async createAppend(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function ledger_append(
        ids text[], chains smallint[], actions text[], subject_types text[], subject_ids text[], actor_types text[],
        actor_ids text[], reasons text[], reverses text[], correlation_ids text[], created timestamptz[],
        texts_before_sequence text[], texts_after_sequence text[], befores text[], afters text[], payload_digests bytea[]
      ) returns void language plpgsql as $$
      declare
        n int;
        head ledger_heads;
        next_sequence bigint;
        entry_digest bytea;
      begin
        for n in select i from generate_subscripts(ids, 1) as i order by chains[i], i loop
          select * into strict head from ledger_heads where chain = chains[n] for no key update;
          next_sequence := nextval('action_ledger_entries_sequence_seq');
          entry_digest := sha256(
            convert_to(texts_before_sequence[n] || next_sequence || texts_after_sequence[n], 'UTF8')
          );
          update ledger_heads set position = head.position + 1, hash = sha256(head.hash || entry_digest)
          where chain = head.chain returning * into strict head;
          insert into action_ledger_entries (
            sequence, id, action, subject_type, subject_id, actor_type, actor_id, reason, reverses_entry_id,
            correlation_id, created_at, chain, position, digest, hash
          ) overriding system value values (
            next_sequence, ids[n], actions[n], subject_types[n], subject_ids[n], actor_types[n], actor_ids[n],
            reasons[n], reverses[n], correlation_ids[n], created[n], head.chain, head.position, entry_digest, head.hash
          );
          insert into ledger_payloads (entry_id, before, after, digest)
          values (ids[n], befores[n]::json, afters[n]::json, payload_digests[n]);
        end loop;
      end $$`);
  }
}
