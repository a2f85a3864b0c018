import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What refers to entries; foreign keys to a table are replaced with it. */
const REFERENCES = [
  `alter table ledger_payloads add constraint ledger_payloads_entry_id_fkey
     foreign key (entry_id) references action_ledger_entries (id)`,
  `alter table ledger_reversals add constraint ledger_reversals_original_id_fkey
     foreign key (original_id) references action_ledger_entries (id)`,
  `alter table ledger_reversals add constraint ledger_reversals_reversal
     foreign key (reversal_id) references action_ledger_entries (id) deferrable initially deferred`,
  `alter table ledger_erasures add constraint ledger_erasures_entry_id_fkey
     foreign key (entry_id) references action_ledger_entries (id)`,
  `alter table ledger_erasures add constraint ledger_erasures_erasure
     foreign key (erasure_id) references action_ledger_entries (id) deferrable initially deferred`,
];

const DROP_REFERENCES = `
  alter table ledger_payloads drop constraint ledger_payloads_entry_id_fkey;
  alter table ledger_reversals drop constraint ledger_reversals_original_id_fkey, drop constraint ledger_reversals_reversal;
  alter table ledger_erasures drop constraint ledger_erasures_entry_id_fkey, drop constraint ledger_erasures_erasure`;

const PAYLOAD_TRIGGERS = `
  create trigger ledger_payloads_kept before delete or truncate on ledger_payloads
  for each statement execute function refuse_change();
  create trigger ledger_payloads_erased_at_most before update on ledger_payloads for each row
  when (new.before is not null or new.after is not null or new.entry_id <> old.entry_id or new.digest <> old.digest)
  execute function refuse_change();
  create constraint trigger ledger_payloads_erasure_recorded after update on ledger_payloads
  deferrable initially deferred for each row
  when ((old.before is not null or old.after is not null) and new.before is null and new.after is null)
  execute function assert_erasure();`;

/** The first partition has all rows that exist, and ends with this year, or later if an id is from a later one. */
const attach = (table: string, first: string) => `
  do $$ begin
    execute format('alter table ${table} attach partition ${first} for values from (minvalue) to (%L)', (
      select ledger_id_at(make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC'))
      from generate_series(date_part('year', now() at time zone 'UTC')::int, 9999) as year
      where ledger_id_at(make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC'))
        > coalesce((select max(id) from action_ledger_entries_initial), '')
      order by year limit 1));
  end $$`;

/**
 * Entries and payloads of the action ledger are partitioned by the year of their id. The id is the key, because it is unique,
 * foreign keys refer to it, and it contains the time. Sequence and position are unique within a partition only; they come
 * from a sequence and from the locked head of a chain.
 */
export class LedgerPartitions1794000000700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(DROP_REFERENCES);
    await this.createFunctions(runner);
    await this.partitionEntries(runner);
    await this.partitionPayloads(runner);
    for (const reference of REFERENCES) await runner.query(reference);
    await runner.query('select ledger_add_partitions()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function ledger_add_partitions, ledger_id_at');
    await runner.query(DROP_REFERENCES);
    await this.joinPayloads(runner);
    await this.joinEntries(runner);
    for (const reference of REFERENCES) await runner.query(reference);
  }

  private async createFunctions(runner: QueryRunner): Promise<void> {
    // The first ten of the 26 characters of a TypeID are the 48 bits of its time in milliseconds.
    await runner.query(`
      create function ledger_id_at(instant timestamptz) returns text language sql immutable strict
      set search_path = pg_catalog, pg_temp as $$
        select 'aled_' || string_agg(
          substr('0123456789abcdefghjkmnpqrstvwxyz',
                 ((trunc(extract(epoch from instant) * 1000)::bigint >> (45 - 5 * n)) & 31)::int + 1, 1), '' order by n)
        from generate_series(0, 9) as n
      $$`);
    // Creates the partitions up to the next year. The role of the service may not create tables, so the function runs with the
    // rights of its owner; it takes no parameter and does nothing if the partitions exist. Rows that are in the default partition
    // stay there: a year of which it has some gets no partition. Returns whether there are any.
    await runner.query(`
      create function ledger_add_partitions(out created text[], out default_used boolean) language plpgsql
      security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
      declare
        this_year int := date_part('year', now() at time zone 'UTC');
        year int;
        covered text;
        name text;
        bounds text;
      begin
        created := '{}';
        select max(substring(pg_get_expr(relpartbound, oid) from 'TO \\(''(\\w+)''\\)') collate "C") into covered
        from pg_inherits join pg_class on oid = inhrelid where inhparent = 'action_ledger_entries'::regclass;
        for year in
          select y from generate_series(2026, this_year + 1) as y
          where ledger_id_at(make_timestamptz(y, 1, 1, 0, 0, 0, 'UTC')) collate "C" >= covered order by y
        loop
          bounds := format('from (%L) to (%L)', ledger_id_at(make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC')),
                           ledger_id_at(make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC')));
          begin
            name := 'action_ledger_entries_' || year;
            execute format(
              'create table public.%1$I partition of action_ledger_entries (unique (sequence), unique (chain, position)) '
              'for values %2$s', name, bounds);
            execute format('create trigger append_only before update or delete or truncate on public.%I '
                           'for each statement execute function refuse_change()', name);
            created := created || name;
            name := 'ledger_payloads_' || year;
            execute format('create table public.%I partition of ledger_payloads for values %s', name, bounds);
            execute format('create trigger kept before delete or truncate on public.%I '
                           'for each statement execute function refuse_change()', name);
            created := created || name;
          exception when check_violation then
            raise warning 'The default partition of the action ledger contains rows of %', year;
          end;
        end loop;
        default_used := exists (select from action_ledger_entries_default);
      end $$;
      revoke execute on function ledger_add_partitions from public`);
  }

  private async partitionEntries(runner: QueryRunner): Promise<void> {
    const first = 'action_ledger_entries_initial';
    await runner.query(`
      drop trigger action_ledger_entries_append_only on action_ledger_entries;
      alter table action_ledger_entries drop constraint action_ledger_entries_reverses_entry_id_fkey;
      alter table action_ledger_entries drop constraint action_ledger_entries_hash_key;
      alter table action_ledger_entries rename to ${first};
      alter table ${first} rename constraint action_ledger_entries_pkey to ${first}_pkey;
      alter table ${first} rename constraint action_ledger_entries_sequence_key to ${first}_sequence_key;
      alter table ${first} rename constraint action_ledger_entries_chain_position_key to ${first}_chain_position_key;
      alter index action_ledger_entries_subject rename to ${first}_subject;
      alter index action_ledger_entries_actor rename to ${first}_actor;
      alter index action_ledger_entries_action rename to ${first}_action;
      create index ${first}_created_at on ${first} (created_at);`);
    // No entity: only `ledger_append` inserts entries, and they never change.
    await runner.query(`
      create sequence next_sequence as bigint;
      select setval('next_sequence', last_value, is_called) from action_ledger_entries_sequence_seq;
      alter table ${first} alter column sequence drop identity;
      create table action_ledger_entries (like ${first} including constraints) partition by range (id);
      alter sequence next_sequence rename to action_ledger_entries_sequence_seq;
      alter sequence action_ledger_entries_sequence_seq owned by action_ledger_entries.sequence;
      alter table action_ledger_entries
        add primary key (id),
        add constraint action_ledger_entries_chain_fkey foreign key (chain) references ledger_heads (chain);
      create index action_ledger_entries_subject on action_ledger_entries (subject_type, subject_id, sequence);
      create index action_ledger_entries_actor on action_ledger_entries (actor_id, sequence);
      create index action_ledger_entries_action on action_ledger_entries (action, sequence);
      create index action_ledger_entries_created_at on action_ledger_entries (created_at);`);
    await runner.query(`
      ${attach('action_ledger_entries', first)};
      alter table action_ledger_entries add constraint action_ledger_entries_reverses_entry_id_fkey
        foreign key (reverses_entry_id) references action_ledger_entries (id);
      create table action_ledger_entries_default partition of action_ledger_entries
        (unique (sequence), unique (chain, position)) default;`);
    for (const table of ['action_ledger_entries', first, 'action_ledger_entries_default']) {
      await runner.query(`
        create trigger append_only before update or delete or truncate on ${table}
        for each statement execute function refuse_change()`);
    }
  }

  private async partitionPayloads(runner: QueryRunner): Promise<void> {
    const first = 'ledger_payloads_initial';
    // No entity: only `ledger_append` inserts payloads.
    await runner.query(`
      drop trigger ledger_payloads_kept on ledger_payloads;
      drop trigger ledger_payloads_erased_at_most on ledger_payloads;
      drop trigger ledger_payloads_erasure_recorded on ledger_payloads;
      alter table ledger_payloads rename to ${first};
      alter table ${first} rename constraint ledger_payloads_pkey to ${first}_pkey;
      create table ledger_payloads (like ${first} including constraints) partition by range (entry_id);
      alter table ledger_payloads add primary key (entry_id);
      ${attach('ledger_payloads', first)};
      create table ledger_payloads_default partition of ledger_payloads default;
      ${PAYLOAD_TRIGGERS}`);
    for (const table of [first, 'ledger_payloads_default']) {
      await runner.query(`
        create trigger kept before delete or truncate on ${table}
        for each statement execute function refuse_change()`);
    }
  }

  private async joinEntries(runner: QueryRunner): Promise<void> {
    // No entity: as before the partitions.
    await runner.query(`
      create table joined_entries (like action_ledger_entries including constraints);
      insert into joined_entries select * from action_ledger_entries;
      alter table joined_entries alter column sequence add generated always as identity (sequence name next_sequence);
      select setval('next_sequence', last_value, is_called) from action_ledger_entries_sequence_seq;
      drop table action_ledger_entries;
      alter table joined_entries rename to action_ledger_entries;
      alter sequence next_sequence rename to action_ledger_entries_sequence_seq;
      alter table action_ledger_entries
        add constraint action_ledger_entries_sequence_key unique (sequence),
        add primary key (id),
        add constraint action_ledger_entries_hash_key unique (hash),
        add constraint action_ledger_entries_chain_position_key unique (chain, position),
        add constraint action_ledger_entries_chain_fkey foreign key (chain) references ledger_heads (chain),
        add constraint action_ledger_entries_reverses_entry_id_fkey
          foreign key (reverses_entry_id) references action_ledger_entries (id);
      create index action_ledger_entries_subject on action_ledger_entries (subject_type, subject_id, sequence);
      create index action_ledger_entries_actor on action_ledger_entries (actor_id, sequence);
      create index action_ledger_entries_action on action_ledger_entries (action, sequence);
      create trigger action_ledger_entries_append_only before update or delete or truncate on action_ledger_entries
      for each statement execute function refuse_change();`);
  }

  private async joinPayloads(runner: QueryRunner): Promise<void> {
    // No entity: as before the partitions.
    await runner.query(`
      create table joined_payloads (like ledger_payloads including constraints);
      insert into joined_payloads select * from ledger_payloads;
      drop table ledger_payloads;
      alter table joined_payloads rename to ledger_payloads;
      alter table ledger_payloads add primary key (entry_id);
      ${PAYLOAD_TRIGGERS}`);
  }
}
