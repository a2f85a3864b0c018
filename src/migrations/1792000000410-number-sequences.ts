import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Numbers that were skipped, and documents whose wrong issue date no longer counts for the order of dates. */
export class NumberSequences1792000000410 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: inserted and deleted as sets, with the counter that skipped the numbers.
    await runner.query(`
      create table number_gaps (
        series_id text not null references invoice_number_series,
        period_key text not null,
        from_sequence bigint not null check (from_sequence > 0),
        to_sequence bigint not null,
        reason text check (length(reason) between 1 and 2000),
        created_at timestamptz not null,
        primary key (series_id, period_key, from_sequence),
        constraint number_gaps_range check (to_sequence >= from_sequence)
      )`);
    // No entity: one row is inserted for a document and never changed.
    await runner.query(`
      create table document_date_releases (
        invoice_id text primary key references invoices,
        series_id text not null references invoice_number_series,
        period_key text not null,
        reason text not null check (length(reason) between 1 and 2000),
        created_at timestamptz not null
      );
      create trigger document_date_releases_append_only before update or delete or truncate on document_date_releases
      for each statement execute function refuse_change();`);

    await runner.query(`
      insert into number_gaps (series_id, period_key, from_sequence, to_sequence, reason, created_at)
      select series_id, period_key, before + 1, sequence - 1, 'Skipped before gaps were recorded', now()
      from (
        select series_id, period_key, sequence,
          lag(sequence, 1, 0::bigint) over (partition by series_id, period_key order by sequence) as before
        from (
          select series_id, period_key, sequence from invoices where number is not null
          union all
          select series_id, period_key, next_number from invoice_number_counters
        ) used
      ) steps
      where sequence > before + 1`);

    // After a release, the last date is that of the latest document that counts; there may be none.
    await runner.query(`
      alter table invoice_number_counters
        drop constraint invoice_number_counters_issued,
        add constraint invoice_number_counters_issued check (given > 0 or last_issue_date is null)`);
    await runner.query(`
      create or replace function invoice_number_counters_forward() returns trigger language plpgsql as $$
      begin
        if new.next_number < old.next_number or new.given < old.given
          or (new.series_id, new.period_key) is distinct from (old.series_id, old.period_key) then
          raise exception 'A counter of invoice numbers only goes forward'
            using errcode = '23514', constraint = 'invoice_number_counters_forward';
        end if;
        if (new.last_issue_date < old.last_issue_date or (old.last_issue_date is not null and new.last_issue_date is null))
          and new.last_issue_date is distinct from (
            select max(document.issue_date) from invoices document
            where document.series_id = new.series_id and document.period_key = new.period_key
              and not exists (select from document_date_releases release where release.invoice_id = document.id)
          ) then
          raise exception 'The last date of a counter is that of its latest document that is not released'
            using errcode = '23514', constraint = 'invoice_number_counters_forward';
        end if;
        return new;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function invoice_number_counters_forward() returns trigger language plpgsql as $$
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
      alter table invoice_number_counters
        drop constraint invoice_number_counters_issued,
        add constraint invoice_number_counters_issued check ((given > 0) = (last_issue_date is not null))`);
    await runner.query('drop table document_date_releases, number_gaps');
  }
}
