import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The organization's day of a timestamp of an existing row; the migrator sets the time zone. */
const dayOf = (column: string) =>
  `(${column} at time zone coalesce(nullif(current_setting('app.time_zone', true), ''), 'UTC'))::date`;

const ITEM_COLUMNS = `item_id, version, effective_on, recorded_at, quantity, total_sell_cents, tax_included_cents, tax_code_id,
  cost_cents, cost_currency, service_date, cancelled`;

/**
 * What reports as of a past day read: versions of installments, booking items and statuses of bookings, and the local days of
 * confirmations, cancellations and voidings. A day that is computed from a timestamp would change with ORG_TIME_ZONE.
 *
 * The histories have no foreign keys: a version stays if its row is deleted, and each foreign key would cost a lock per change.
 */
export class Histories1792000000610 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The time of the application's clock, which the transaction sets together with app.today.
    await runner.query(`
      create function app_now() returns timestamptz language sql stable as $$
        select coalesce(nullif(current_setting('app.now', true), '')::timestamptz, now())
      $$`);
    await this.addDays(runner);
    await this.createSchedules(runner);
    await this.createItems(runner);
    await this.createStatuses(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger bookings_status_history on bookings');
    await runner.query('drop trigger booking_items_history on booking_items');
    await runner.query('drop trigger payment_schedules_new_history on payment_schedules');
    await runner.query('drop trigger payment_schedules_history on payment_schedules');
    await runner.query('drop table booking_status_history, booking_item_history, payment_schedule_history');
    await runner.query('drop trigger bookings_days on bookings');
    await runner.query('drop trigger invoices_voided_on on invoices');
    await runner.query('alter table bookings drop column confirmed_on, drop column cancelled_on');
    await runner.query('alter table invoices drop column voided_on');
    await runner.query('drop function bookings_set_days, invoices_set_voided_on');
    await runner.query(
      'drop function bookings_keep_history, booking_items_keep_history, payment_schedules_keep_history',
    );
    await runner.query('drop function app_now');
  }

  /** The triggers set the days, so that each writer of the timestamps gets them right. */
  private async addDays(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table bookings
        add column confirmed_on date check (confirmed_on between '1900-01-01' and '2199-12-31'),
        add column cancelled_on date check (cancelled_on between '1900-01-01' and '2199-12-31')`);
    await runner.query(`alter table bookings disable trigger user`);
    await runner.query(`
      update bookings set confirmed_on = ${dayOf('confirmed_at')}, cancelled_on = ${dayOf('cancelled_at')}
      where confirmed_at is not null or cancelled_at is not null`);
    await runner.query(`alter table bookings enable trigger user`);
    await runner.query(`
      alter table bookings add constraint bookings_days check (
        (confirmed_on is null) = (confirmed_at is null) and (cancelled_on is null) = (cancelled_at is null)
      )`);
    await runner.query(`
      create function bookings_set_days() returns trigger language plpgsql as $$
      begin
        new.confirmed_on := case when new.confirmed_at is not null then coalesce(new.confirmed_on, app_today()) end;
        new.cancelled_on := case when new.cancelled_at is not null then coalesce(new.cancelled_on, app_today()) end;
        return new;
      end $$;
      create trigger bookings_days before insert or update on bookings for each row
      when ((new.confirmed_on is null) <> (new.confirmed_at is null)
            or (new.cancelled_on is null) <> (new.cancelled_at is null))
      execute function bookings_set_days();`);

    await runner.query(`
      alter table invoices add column voided_on date check (voided_on between '1900-01-01' and '2199-12-31')`);
    await runner.query(`alter table invoices disable trigger user`);
    await runner.query(`update invoices set voided_on = ${dayOf('voided_at')} where voided_at is not null`);
    await runner.query(`alter table invoices enable trigger user`);
    // Triggers run in the order of their names: this one after the check that only some columns of an issued invoice change.
    await runner.query(`
      alter table invoices add constraint invoices_voided_on check ((voided_on is null) = (voided_at is null));
      create function invoices_set_voided_on() returns trigger language plpgsql as $$
      begin
        new.voided_on := case when new.voided_at is not null then coalesce(new.voided_on, app_today()) end;
        return new;
      end $$;
      create trigger invoices_voided_on before insert or update on invoices for each row
      when ((new.voided_on is null) <> (new.voided_at is null)) execute function invoices_set_voided_on();`);
  }

  private async createSchedules(runner: QueryRunner): Promise<void> {
    // No entity: written by a trigger, read by reports.
    await runner.query(`
      create table payment_schedule_history (
        schedule_id text not null,
        version integer not null check (version > 0),
        effective_on date not null,
        recorded_at timestamptz not null,
        due_date date not null,
        amount_cents bigint not null,
        type text not null,
        cancelled boolean not null,
        waived boolean not null,
        primary key (schedule_id, version)
      );
      create index payment_schedule_history_effective on payment_schedule_history (effective_on);
      create trigger payment_schedule_history_append_only before update or delete or truncate on payment_schedule_history
      for each statement execute function refuse_change();`);
    await runner.query(`
      insert into payment_schedule_history
      select id, 1, ${dayOf('created_at')}, created_at, due_date, amount_cents, type, status = 'cancelled', waived
      from payment_schedules`);
    await runner.query(`
      create function payment_schedules_keep_history() returns trigger language plpgsql as $$
      begin
        insert into payment_schedule_history
        select new.id, coalesce(max(version), 0) + 1, app_today(), app_now(), new.due_date, new.amount_cents, new.type,
          new.status = 'cancelled', new.waived
        from payment_schedule_history where schedule_id = new.id;
        return null;
      end $$;
      create trigger payment_schedules_new_history after insert on payment_schedules
      for each row execute function payment_schedules_keep_history();
      create trigger payment_schedules_history after update on payment_schedules for each row
      when ((old.due_date, old.amount_cents, old.type, old.status = 'cancelled', old.waived)
        is distinct from (new.due_date, new.amount_cents, new.type, new.status = 'cancelled', new.waived))
      execute function payment_schedules_keep_history();`);
  }

  private async createItems(runner: QueryRunner): Promise<void> {
    // No entity: written by a trigger, read by reports.
    await runner.query(`
      create table booking_item_history (
        item_id text not null,
        version integer not null check (version > 0),
        effective_on date not null,
        recorded_at timestamptz not null,
        quantity integer not null,
        total_sell_cents bigint not null,
        tax_included_cents bigint not null,
        tax_code_id text,
        cost_cents bigint,
        cost_currency text,
        service_date date,
        cancelled boolean not null,
        primary key (item_id, version)
      );
      create index booking_item_history_effective on booking_item_history (effective_on);
      create trigger booking_item_history_append_only before update or delete or truncate on booking_item_history
      for each statement execute function refuse_change();`);
    await runner.query(`
      insert into booking_item_history (${ITEM_COLUMNS})
      select id, 1, ${dayOf('created_at')}, created_at, quantity, total_sell_cents, tax_included_cents,
        to_jsonb(item) ->> 'tax_code_id', cost_cents, cost_currency, service_date, status = 'cancelled'
      from booking_items item`);
    // Another migration adds the tax code, so that its column may not exist yet. A version is added only if one of the columns
    // has changed; the title and the rest of the status do not count.
    await runner.query(`
      create function booking_items_keep_history() returns trigger language plpgsql as $$
      declare
        previous booking_item_history;
        latest booking_item_history;
      begin
        select * into previous from booking_item_history where item_id = new.id order by version desc limit 1;
        latest := (new.id, coalesce(previous.version, 0), previous.effective_on, previous.recorded_at, new.quantity,
          new.total_sell_cents, new.tax_included_cents, to_jsonb(new) ->> 'tax_code_id', new.cost_cents,
          new.cost_currency, new.service_date, new.status = 'cancelled');
        if latest is distinct from previous then
          latest.version := latest.version + 1;
          latest.effective_on := app_today();
          latest.recorded_at := app_now();
          insert into booking_item_history select latest.*;
        end if;
        return null;
      end $$;
      create trigger booking_items_history after insert or update on booking_items
      for each row execute function booking_items_keep_history();`);
  }

  private async createStatuses(runner: QueryRunner): Promise<void> {
    // No entity: written by a trigger, read by reports.
    await runner.query(`
      create table booking_status_history (
        booking_id text not null,
        version integer not null check (version > 0),
        effective_on date not null,
        recorded_at timestamptz not null,
        status text not null,
        primary key (booking_id, version)
      );
      create index booking_status_history_effective on booking_status_history (effective_on);
      create trigger booking_status_history_append_only before update or delete or truncate on booking_status_history
      for each statement execute function refuse_change();`);
    await runner.query(`
      insert into booking_status_history select id, 1, ${dayOf('created_at')}, created_at, status from bookings`);
    await runner.query(`
      create function bookings_keep_history() returns trigger language plpgsql as $$
      begin
        insert into booking_status_history
        select new.id, coalesce(max(version), 0) + 1, app_today(), app_now(), new.status
        from booking_status_history where booking_id = new.id
        having coalesce((array_agg(status order by version desc))[1], '') <> new.status;
        return null;
      end $$;
      create trigger bookings_status_history after insert or update of status on bookings
      for each row execute function bookings_keep_history();`);
  }
}
