import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Contracts and policies. Triggers reject changes of the text of an issued contract and of a published version of a
 * policy, and their deletion.
 */
export class Legal1790000001200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createContracts(runner);
    await this.createContractNumbers(runner);
    await this.createPolicies(runner);
    await this.createPolicyRules(runner);
    await this.createAssignments(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table policy_assignments, policy_rules, policy_versions, policies');
    await runner.query('drop function policy_versions_stay_frozen, policy_rules_stay_frozen, policy_texts_stay');
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
      );
      create index contracts_status_created_at on contracts (status, created_at);
      create index contracts_created_at on contracts (created_at, id);
      create index contracts_expires_at on contracts (expires_at) where status in ('issued', 'sent');
      create index contracts_search on contracts using gin
        (title gin_trgm_ops, contract_number gin_trgm_ops, recipient_name gin_trgm_ops);`);
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
      end $$;
      create trigger contracts_stay_frozen before update or delete on contracts
        for each row execute function contracts_stay_frozen();`);
  }

  /**
   * Contract numbers have no gaps and no duplicates. Both functions lock the counter of the year until the transaction
   * ends. `contract_number_next` searches for assigned numbers in a second statement, after the lock: only then it sees
   * what was committed while it waited.
   */
  private async createContractNumbers(runner: QueryRunner): Promise<void> {
    // No entity: only these functions use the table.
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

  private async createPolicies(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table policies (
        id text primary key,
        kind text not null check (kind in (
          'cancellation', 'payment', 'terms_and_conditions', 'privacy', 'refund', 'commission', 'guarantee', 'other'
        )),
        name text not null check (length(name) between 1 and 255),
        slug text not null check (length(slug) <= 100 and slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$')
          constraint policies_slug unique,
        language text not null check (length(language) between 2 and 10),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint policies_id_kind unique (id, kind)
      );
      create index policies_created_at on policies (created_at, id);
      create index policies_kind on policies (kind, created_at, id);
      create index policies_search on policies using gin (name gin_trgm_ops, slug gin_trgm_ops);`);
    await runner.query(`
      create table policy_versions (
        id text primary key,
        policy_id text not null constraint policy_versions_policy references policies on delete restrict,
        number integer not null check (number > 0),
        title text not null check (length(title) between 1 and 500),
        body text not null check (length(body) <= 1200000),
        status text not null check (status in ('draft', 'published', 'retired')),
        sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
        published_at timestamptz,
        retired_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint policy_versions_number unique (policy_id, number),
        constraint policy_versions_digest check ((sha256 is null) = (status = 'draft')),
        constraint policy_versions_published_stamp check ((published_at is null) = (status = 'draft')),
        constraint policy_versions_retired_stamp check ((retired_at is not null) = (status = 'retired'))
      );
      create unique index policy_versions_published on policy_versions (policy_id) where status = 'published';`);
    await runner.query(`
      create function policy_versions_stay_frozen() returns trigger language plpgsql as $$
      begin
        if old.status = 'draft' then
          return case when tg_op = 'DELETE' then old else new end;
        elsif tg_op = 'DELETE' then
          raise exception 'policy version % was published and stays', old.id using errcode = 'restrict_violation';
        elsif (old.id, old.policy_id, old.number, old.title, old.body, old.sha256, old.published_at)
          is distinct from (new.id, new.policy_id, new.number, new.title, new.body, new.sha256, new.published_at) then
          raise exception 'policy version % was published and its text stays', old.id
            using errcode = 'restrict_violation';
        elsif new.status <> old.status and (old.status, new.status) <> ('published', 'retired') then
          raise exception 'policy version % cannot go from % to %', old.id, old.status, new.status
            using errcode = 'restrict_violation';
        end if;
        return new;
      end $$;
      create trigger policy_versions_stay_frozen before update or delete on policy_versions
        for each row execute function policy_versions_stay_frozen();`);
  }

  private async createPolicyRules(runner: QueryRunner): Promise<void> {
    // policy_rules_of_type requires what a rule of the type cannot be applied without.
    // No entity: the rules of a draft are replaced as a set and read with their version as JSON.
    await runner.query(`
      create table policy_rules (
        version_id text not null constraint policy_rules_version references policy_versions on delete restrict,
        position integer not null check (position between 0 and 999),
        type text not null check (type in ('window', 'percentage', 'flat_amount', 'date_range', 'custom')),
        days_before_departure integer check (days_before_departure between 0 and 3650),
        refund_basis_points integer check (refund_basis_points between 0 and 10000),
        refund_type text check (refund_type in ('cash', 'credit', 'cash_or_credit', 'none')),
        flat_amount_cents bigint check (flat_amount_cents between 0 and 9007199254740991),
        currency text check (currency ~ '^[A-Z]{3}$'),
        valid_from date check (valid_from between '1900-01-01' and '2199-12-31'),
        valid_to date check (valid_to between '1900-01-01' and '2199-12-31'),
        primary key (version_id, position),
        constraint policy_rules_amount check ((flat_amount_cents is null) = (currency is null)),
        constraint policy_rules_validity check (valid_to >= valid_from),
        constraint policy_rules_of_type check (
          case type
            when 'window' then days_before_departure is not null
            when 'percentage' then refund_basis_points is not null
            when 'flat_amount' then flat_amount_cents is not null
            when 'date_range' then valid_from is not null or valid_to is not null
            else true
          end
        )
      )`);

    // The version is locked, so that it cannot be published while one of its rules changes.
    await runner.query(`
      create function policy_rules_stay_frozen() returns trigger language plpgsql as $$
      declare
        frozen text;
      begin
        select held.id into frozen from (
          select id, status from policy_versions
          where id = case when tg_op = 'INSERT' then new.version_id else old.version_id end
             or id = case when tg_op = 'DELETE' then old.version_id else new.version_id end
          order by id for share
        ) held where held.status <> 'draft' limit 1;
        if frozen is not null then
          raise exception 'policy version % was published and its rules stay', frozen
            using errcode = 'restrict_violation';
        end if;
        return case when tg_op = 'DELETE' then old else new end;
      end $$;
      create trigger policy_rules_stay_frozen before insert or update or delete on policy_rules
        for each row execute function policy_rules_stay_frozen();`);

    await runner.query(`
      create function policy_texts_stay() returns trigger language plpgsql as $$
      begin
        raise exception '% is never emptied', tg_table_name using errcode = 'restrict_violation';
      end $$;
      create trigger policy_versions_stay before truncate on policy_versions
        for each statement execute function policy_texts_stay();
      create trigger policy_rules_stay before truncate on policy_rules
        for each statement execute function policy_texts_stay();`);
  }

  private async createAssignments(runner: QueryRunner): Promise<void> {
    // `kind` is a copy of the policy's, kept equal by the foreign key: the exclusion constraint, which allows one live
    // assignment of the same meaning per day, needs it. `channel_id` exists for its foreign key.
    await runner.query(`
      create table policy_assignments (
        id text primary key,
        policy_id text not null,
        kind text not null,
        scope text not null check (scope in ('product', 'supplier', 'channel', 'market', 'organization', 'global')),
        target_id text check (length(target_id) between 1 and 128),
        valid_from date check (valid_from between '1900-01-01' and '2199-12-31'),
        valid_to date check (valid_to between '1900-01-01' and '2199-12-31'),
        priority integer not null,
        locked boolean not null,
        removed_at timestamptz,
        removed_by text check (length(removed_by) between 1 and 100),
        channel_id text generated always as (case when scope = 'channel' then target_id end) stored
          constraint policy_assignments_channel references channels on delete restrict,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint policy_assignments_policy foreign key (policy_id, kind)
          references policies (id, kind) on delete restrict on update restrict,
        constraint policy_assignments_target check ((scope = 'global') = (target_id is null)),
        constraint policy_assignments_validity check (valid_to >= valid_from),
        constraint policy_assignments_removal check ((removed_at is null) = (removed_by is null)),
        constraint policy_assignments_locked_stays check (not locked or removed_at is null),
        constraint policy_assignments_no_overlap exclude using gist (
          kind with =, scope with =, coalesce(target_id, '') with =, priority with =,
          daterange(valid_from, valid_to, '[]') with &&
        ) where (removed_at is null)
      );
      create index policy_assignments_place on policy_assignments (kind, scope, target_id) where removed_at is null;
      create index policy_assignments_policy_id on policy_assignments (policy_id, kind);
      create index policy_assignments_target_id on policy_assignments (target_id, scope);
      create index policy_assignments_channel_id on policy_assignments (channel_id);
      create index policy_assignments_created_at on policy_assignments (created_at, id);`);
  }
}
