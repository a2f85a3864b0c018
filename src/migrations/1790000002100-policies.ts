import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Policies, their dated texts, and what they apply to. What was published is frozen, its rules with it: triggers refuse
 * any change. A policy has one published version at most, and of live assignments that say the same for the same days
 * there is one.
 */
export class Policies1790000002100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create extension if not exists btree_gist');
    await runner.query('create extension if not exists pg_trgm');
    await this.createPolicies(runner);
    await this.createVersions(runner);
    await this.createRules(runner);
    await this.freezePublished(runner);
    await this.createAssignments(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table policy_assignments, policy_rules, policy_versions, policies');
    await runner.query('drop function policy_versions_stay_frozen, policy_rules_stay_frozen, policy_texts_stay');
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
      )`);
    await runner.query('create index policies_created_at on policies (created_at, id)');
    await runner.query('create index policies_kind on policies (kind, created_at, id)');
    await runner.query('create index policies_search on policies using gin (name gin_trgm_ops, slug gin_trgm_ops)');
  }

  private async createVersions(runner: QueryRunner): Promise<void> {
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
      )`);
    await runner.query(`
      create unique index policy_versions_published on policy_versions (policy_id) where status = 'published'`);
  }

  /** What a type must say is what it could not be applied without. */
  private async createRules(runner: QueryRunner): Promise<void> {
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
  }

  private async freezePublished(runner: QueryRunner): Promise<void> {
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
      end $$`);
    await runner.query(`
      create trigger policy_versions_stay_frozen before update or delete on policy_versions
        for each row execute function policy_versions_stay_frozen()`);

    // The version is held, so that none is published while a rule of it changes.
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
      end $$`);
    await runner.query(`
      create trigger policy_rules_stay_frozen before insert or update or delete on policy_rules
        for each row execute function policy_rules_stay_frozen()`);

    await runner.query(`
      create function policy_texts_stay() returns trigger language plpgsql as $$
      begin
        raise exception '% is never emptied', tg_table_name using errcode = 'restrict_violation';
      end $$`);
    for (const table of ['policy_versions', 'policy_rules']) {
      await runner.query(`
        create trigger ${table}_stay before truncate on ${table}
          for each statement execute function policy_texts_stay()`);
    }
  }

  /** The kind is a copy of the policy's, which the key keeps true; the channel is the target where it is one. */
  private async createAssignments(runner: QueryRunner): Promise<void> {
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
      )`);
    await runner.query(`
      create index policy_assignments_place on policy_assignments (kind, scope, target_id) where removed_at is null`);
    await runner.query('create index policy_assignments_policy_id on policy_assignments (policy_id, kind)');
    await runner.query('create index policy_assignments_target_id on policy_assignments (target_id, scope)');
    await runner.query('create index policy_assignments_channel_id on policy_assignments (channel_id)');
    await runner.query('create index policy_assignments_created_at on policy_assignments (created_at, id)');
  }
}
