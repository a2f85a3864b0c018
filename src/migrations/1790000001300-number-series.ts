import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Series of invoice numbers and their counters, one for each period. A counter never goes back, so that no number is
 * given twice; a new period is a new counter.
 */
export class NumberSeries1790000001300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table invoice_number_series (
        id text primary key,
        name text not null check (length(name) between 1 and 120),
        prefix text not null check (length(prefix) <= 50),
        pattern text not null check (length(pattern) between 1 and 100),
        document_type text not null check (document_type in ('invoice', 'proforma', 'credit_note')),
        reset_period text not null check (reset_period in ('never', 'yearly', 'monthly')),
        is_default boolean not null,
        active boolean not null,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`);
    await runner.query(
      'create unique index invoice_number_series_default on invoice_number_series (document_type) where is_default and active',
    );
    await runner.query(`
      create index invoice_number_series_numbers on invoice_number_series
      (document_type, replace(pattern, '{prefix}', prefix))`);
    await runner.query('create index invoice_number_series_created on invoice_number_series (created_at, id)');

    // The last number is 999999999999, after which the next one is beyond what can be given.
    await runner.query(`
      create table invoice_number_counters (
        series_id text not null references invoice_number_series,
        period_key text not null check (period_key ~ '^(all|\\d{4}(-\\d{2})?)$'),
        next_number bigint not null,
        given integer not null default 0 check (given >= 0),
        last_issue_date date,
        primary key (series_id, period_key),
        constraint invoice_number_counters_range check (next_number between 1 and 1000000000000),
        constraint invoice_number_counters_issued check ((given > 0) = (last_issue_date is not null))
      )`);
    await runner.query(`
      create function invoice_number_counters_forward() returns trigger language plpgsql as $$
      begin
        if new.next_number < old.next_number or new.given < old.given or new.last_issue_date < old.last_issue_date
          or (old.last_issue_date is not null and new.last_issue_date is null)
          or (new.series_id, new.period_key) is distinct from (old.series_id, old.period_key) then
          raise exception 'A counter of invoice numbers only goes forward'
            using errcode = '23514', constraint = 'invoice_number_counters_forward';
        end if;
        return new;
      end $$`);
    await runner.query(`
      create trigger invoice_number_counters_forward before update on invoice_number_counters
      for each row execute function invoice_number_counters_forward()`);
    await runner.query(`
      create function invoice_number_counters_keep() returns trigger language plpgsql as $$
      begin
        if old.given > 0 then
          raise exception 'A counter that gave numbers stays'
            using errcode = '23514', constraint = 'invoice_number_counters_keep';
        end if;
        return old;
      end $$`);
    await runner.query(`
      create trigger invoice_number_counters_keep before delete on invoice_number_counters
      for each row execute function invoice_number_counters_keep()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table invoice_number_counters');
    await runner.query('drop function invoice_number_counters_keep');
    await runner.query('drop function invoice_number_counters_forward');
    await runner.query('drop table invoice_number_series');
  }
}
