import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Months that can be closed, and the day on which something is posted. */
export class AccountingPeriods1792000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A month has a row as soon as something is posted in it; months without a row are open.
    await runner.query(`
      create table accounting_periods (
        period text primary key check (period ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
        status text not null check (status in ('open', 'closed', 'filed')),
        closed_at timestamptz,
        closed_by text check (length(closed_by) between 1 and 100),
        filed_at timestamptz,
        filed_by text check (length(filed_by) between 1 and 100),
        filing_reference text check (length(filing_reference) between 1 and 255),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint accounting_periods_closing check (
          (closed_at is null) = (status = 'open') and (closed_by is null) = (status = 'open')
        ),
        constraint accounting_periods_filing check (
          num_nonnulls(filed_at, filed_by, filing_reference) = case when status = 'filed' then 3 else 0 end
        )
      )`);

    // The figures of the main reports when the month was closed; compared with the reports by the integrity report.
    // No entity: written and deleted as a whole.
    await runner.query(`
      create table accounting_period_figures (
        period text not null references accounting_periods,
        name text not null check (length(name) between 1 and 50),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        cents numeric not null,
        primary key (period, name, currency)
      )`);
    await runner.query(`
      create function accounting_periods_filed_stay() returns trigger language plpgsql as $$
      begin
        if old.status = 'filed' then
          raise exception 'A filed period stays' using errcode = '23514', constraint = 'accounting_periods_filed_stay';
        end if;
        return case tg_op when 'DELETE' then old else new end;
      end $$;
      create trigger accounting_periods_filed_stay before update or delete on accounting_periods
      for each row execute function accounting_periods_filed_stay();`);

    // The organization's day, which the transaction sets; the server's day for statements of an operator.
    await runner.query(`
      create function app_today() returns date language sql stable as $$
        select coalesce(nullif(current_setting('app.today', true), '')::date, current_date)
      $$`);

    // The month is locked until the transaction ends. A closing that waits for it sees what was posted; one that this
    // waits for has closed the month when it gets the lock, so the day is computed again.
    await runner.query(`
      create function posting_day(wanted date) returns date language plpgsql as $$
      declare
        closed_until text;
        posted date;
        found_status text;
      begin
        loop
          select max(period) into closed_until from accounting_periods where status <> 'open';
          posted := case when closed_until is null or to_char(wanted, 'YYYY-MM') > closed_until then wanted
            else (to_date(closed_until, 'YYYY-MM') + interval '1 month')::date end;
          select status into found_status from accounting_periods
          where period = to_char(posted, 'YYYY-MM') for share;
          if not found then
            insert into accounting_periods (period, status, version, created_at, updated_at)
            values (to_char(posted, 'YYYY-MM'), 'open', 1, now(), now()) on conflict do nothing;
          elsif found_status = 'open' then
            return posted;
          end if;
        end loop;
      end $$`);
    await runner.query(`
      create function assert_period_open(wanted date) returns void language plpgsql as $$
      declare
        posted constant date := posting_day(wanted);
      begin
        if posted <> wanted then
          raise exception 'The period of % is closed', wanted using errcode = '23514', constraint = 'period_closed',
            detail = json_build_object('period', to_char(wanted, 'YYYY-MM'), 'firstOpenDay', posted)::text;
        end if;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function assert_period_open, posting_day, app_today');
    await runner.query('drop table accounting_period_figures, accounting_periods');
    await runner.query('drop function accounting_periods_filed_stay');
  }
}
