import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Contracts. What was issued is frozen: a trigger refuses any change of its text, its digest and its number, and its
 * removal. Numbers come from one locked counter per year, so that they are given without gaps and never twice.
 */
export class Legal1790000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create extension if not exists pg_trgm');
    await this.createContracts(runner);
    await this.freezeIssued(runner);
    await this.createNumbers(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table contracts, contract_number_counters');
    await runner.query('drop function contracts_stay_frozen, contract_numbers_lock, contract_number_next');
  }

  private async createContracts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table contracts (
        id text primary key check (id ~ '^ctr_[0-9a-hjkmnp-tv-z]{26}$'),
        title text not null check (length(title) between 1 and 500),
        status text not null
          check (status in ('draft', 'issued', 'sent', 'signed', 'executed', 'expired', 'void')),
        contract_number text check (length(contract_number) between 1 and 100),
        body text not null check (length(body) <= 1200000),
        body_sha256 text,
        language text not null check (length(language) between 2 and 10),
        scope text not null check (scope in ('customer', 'supplier', 'partner', 'channel', 'other')),
        expires_at timestamptz,
        recipient_name text check (length(recipient_name) between 1 and 255),
        recipient_email text check (length(recipient_email) between 1 and 255),
        metadata jsonb check (jsonb_typeof(metadata) = 'object'),
        issued_at timestamptz,
        sent_at timestamptz,
        expired_at timestamptz,
        voided_at timestamptz,
        void_reason text check (length(void_reason) between 1 and 2000),
        version integer not null default 1 check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint contracts_contract_number unique (contract_number),
        constraint contracts_draft_is_not_issued check (status <> 'draft' or issued_at is null),
        constraint contracts_issued_stamp check (status in ('draft', 'void') or issued_at is not null),
        constraint contracts_issued_number check (issued_at is null or contract_number is not null),
        constraint contracts_issued_digest check (
          case when issued_at is null then body_sha256 is null
          else body_sha256 is not null and body_sha256 = encode(sha256(convert_to(body, 'UTF8')), 'hex') end
        ),
        constraint contracts_sent_after_issue check (sent_at is null or issued_at is not null),
        constraint contracts_issued_is_not_sent check (status <> 'issued' or sent_at is null),
        constraint contracts_sent_stamp check (status not in ('sent', 'signed', 'executed') or sent_at is not null),
        constraint contracts_expired_stamp check ((status = 'expired') = (expired_at is not null)),
        constraint contracts_expired_had_expiry check (expired_at is null or expires_at is not null),
        constraint contracts_void_stamp check ((status = 'void') = (voided_at is not null)),
        constraint contracts_void_reason check ((voided_at is null) = (void_reason is null))
      )`);
    await runner.query('create index contracts_status_created_at on contracts (status, created_at)');
    await runner.query('create index contracts_created_at on contracts (created_at, id)');
    await runner.query(`
      create index contracts_expires_at on contracts (expires_at) where status in ('issued', 'sent')`);
    await runner.query(`
      create index contracts_search on contracts using gin
        (title gin_trgm_ops, contract_number gin_trgm_ops, recipient_name gin_trgm_ops)`);
  }

  private async freezeIssued(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function contracts_stay_frozen() returns trigger language plpgsql as $$
      begin
        if old.issued_at is null then
          return case when tg_op = 'DELETE' then old else new end;
        elsif tg_op = 'DELETE' then
          raise exception 'contract % was issued and stays', old.id using errcode = 'restrict_violation';
        elsif (old.title, old.body, old.body_sha256, old.contract_number, old.language, old.issued_at)
          is distinct from (new.title, new.body, new.body_sha256, new.contract_number, new.language, new.issued_at) then
          raise exception 'contract % was issued and its text and number stay', old.id
            using errcode = 'restrict_violation';
        end if;
        return new;
      end $$`);
    await runner.query(`
      create trigger contracts_stay_frozen before update or delete on contracts
        for each row execute function contracts_stay_frozen()`);
  }

  /**
   * Both functions hold the year's counter until the transaction ends. `contract_number_next` looks for taken numbers
   * only after it has the lock, with a statement of its own, so that it sees what was committed while it waited.
   */
  private async createNumbers(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table contract_number_counters (
        year integer primary key check (year between 1 and 9999),
        last_number integer not null check (last_number >= 0)
      )`);
    await runner.query(`
      create function contract_numbers_lock(of_year integer) returns integer language sql as $$
        insert into contract_number_counters as counter (year, last_number) values (of_year, 0)
        on conflict (year) do update set last_number = counter.last_number
        returning last_number
      $$`);
    await runner.query(`
      create function contract_number_next(of_year integer) returns text language plpgsql as $$
      declare
        n integer := contract_numbers_lock(of_year);
        candidate text;
      begin
        loop
          n := n + 1;
          candidate := format('C-%s-%s', lpad(of_year::text, 4, '0'), lpad(n::text, greatest(5, length(n::text)), '0'));
          exit when not exists (select from contracts where contract_number = candidate);
        end loop;
        update contract_number_counters set last_number = n where year = of_year;
        return candidate;
      end $$`);
  }
}
