import type { MigrationInterface, QueryRunner } from 'typeorm';

const CHAINS = 64;

/**
 * The action ledger. Entries are never changed: triggers refuse UPDATE, DELETE and TRUNCATE. Payloads lie apart, so that
 * they can be erased while their digest stays. `ledger_append` writes all entries of a transaction in one statement: it
 * takes the heads in chain order and keeps them locked until the commit, which follows at once. An entry's sequence is
 * drawn under its head's lock, so along a chain it only rises.
 */
export class ActionLedger1790000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table ledger_heads (
        chain smallint primary key check (chain between 0 and ${CHAINS - 1}),
        position bigint not null default 0 check (position >= 0),
        hash bytea not null check (length(hash) = 32)
      )`);
    await runner.query(`
      insert into ledger_heads (chain, hash)
      select chain, sha256(convert_to('ledger-chain-' || chain, 'UTF8')) from generate_series(0, ${CHAINS - 1}) as chain`);
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
        -- Milliseconds: what a finer clock hand says would not be in the digest.
        created_at timestamptz(3) not null,
        chain smallint not null references ledger_heads (chain),
        position bigint not null check (position > 0),
        digest bytea not null check (length(digest) = 32),
        hash bytea not null unique check (length(hash) = 32),
        unique (chain, position)
      )`);
    await runner.query(
      'create index action_ledger_entries_subject on action_ledger_entries (subject_type, subject_id, sequence)',
    );
    await runner.query('create index action_ledger_entries_actor on action_ledger_entries (actor_id, sequence)');
    await runner.query('create index action_ledger_entries_action on action_ledger_entries (action, sequence)');
    await runner.query(`
      create table ledger_payloads (
        entry_id text primary key references action_ledger_entries (id),
        before json,
        after json,
        digest bytea not null check (length(digest) = 32)
      )`);
    await runner.query(`
      create table ledger_reversals (
        id text primary key,
        original_id text not null references action_ledger_entries (id),
        reversal_id text not null references action_ledger_entries (id),
        state text not null check (state in ('running', 'completed', 'failed')),
        outcome text check (outcome in ('full', 'partial')),
        created_at timestamptz not null
      )`);
    await runner.query(`
      create unique index ledger_reversals_live_original on ledger_reversals (original_id) where state <> 'failed'`);
    await this.protect(runner);
    await this.createAppend(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function ledger_append');
    await runner.query('drop table ledger_reversals, ledger_payloads, action_ledger_entries, ledger_heads');
    await runner.query('drop function refuse_change');
  }

  private async protect(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
      end $$`);
    await runner.query(`
      create trigger action_ledger_entries_append_only before update or delete or truncate on action_ledger_entries
      for each statement execute function refuse_change()`);
    await runner.query(`
      create trigger ledger_payloads_kept before delete or truncate on ledger_payloads
      for each statement execute function refuse_change()`);
    // Erasing a payload sets before and after to null, both; its digest, and that it was there, stays.
    await runner.query(`
      create trigger ledger_payloads_erased_at_most before update on ledger_payloads for each row
      when (new.before is not null or new.after is not null or new.entry_id <> old.entry_id or new.digest <> old.digest)
      execute function refuse_change()`);
    await runner.query(`
      create trigger ledger_heads_kept before delete or truncate on ledger_heads
      for each statement execute function refuse_change()`);
  }

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
