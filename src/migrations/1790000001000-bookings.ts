import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Bookings and what they are made of. A booking's total is the sum of its live items, and no live item outlasts its
 * booking: both are checked at the commit, so that they may be untrue between two statements only.
 */
export class Bookings1790000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create extension if not exists pg_trgm');
    await runner.query(`
      create table bookings (
        id text primary key,
        number text not null check (length(number) between 1 and 40) constraint bookings_number unique,
        status text not null check (status in ('draft', 'confirmed', 'in_progress', 'completed', 'cancelled')),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        total_cents bigint constraint bookings_total_bounds check (total_cents between 0 and 9007199254740991),
        customer_name text not null check (length(customer_name) between 1 and 255),
        customer_email text check (length(customer_email) between 1 and 255),
        start_date date check (start_date between '1900-01-01' and '2199-12-31'),
        end_date date check (end_date between '1900-01-01' and '2199-12-31'),
        notes text check (length(notes) <= 2000),
        payment_policy jsonb check (jsonb_typeof(payment_policy) = 'object'),
        channel_id text constraint bookings_channel references channels on delete restrict,
        confirmed_at timestamptz,
        cancelled_at timestamptz,
        cancel_reason text check (length(cancel_reason) between 1 and 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint bookings_id_currency unique (id, currency),
        constraint bookings_dates check (end_date >= start_date),
        constraint bookings_confirmation check (
          (confirmed_at is null or status <> 'draft') and (confirmed_at is not null or status in ('draft', 'cancelled'))
        ),
        constraint bookings_cancellation check (
          (cancelled_at is not null) = (status = 'cancelled') and (cancel_reason is not null) = (status = 'cancelled')
        )
      )`);
    await runner.query('create index bookings_status on bookings (status)');
    await runner.query('create index bookings_start_date on bookings (start_date)');
    await runner.query('create index bookings_created on bookings (created_at, id)');
    await runner.query('create index bookings_channel_id on bookings (channel_id)');
    await runner.query(`
      create index bookings_search on bookings using gin (customer_name gin_trgm_ops, number gin_trgm_ops)`);

    // An item has its booking's currency. The key makes it immutable once there is an item.
    await runner.query(`
      create table booking_items (
        id text primary key,
        booking_id text not null,
        currency text not null,
        type text not null check (type in (
          'unit', 'extra', 'service', 'fee', 'tax', 'discount', 'adjustment', 'accommodation', 'transport', 'other'
        )),
        title text not null check (length(title) between 1 and 255),
        status text not null check (status in ('confirmed', 'cancelled', 'fulfilled')),
        quantity integer not null check (quantity between 1 and 1000000),
        unit_sell_cents bigint not null check (unit_sell_cents between -9007199254740991 and 9007199254740991),
        total_sell_cents bigint not null check (total_sell_cents between -9007199254740991 and 9007199254740991),
        tax_included_cents bigint not null,
        cost_cents bigint check (cost_cents between 0 and 9007199254740991),
        cost_currency text check (cost_currency ~ '^[A-Z]{3}$'),
        pricing_treatment text not null check (pricing_treatment in ('standard', 'pass_through')),
        service_date date check (service_date between '1900-01-01' and '2199-12-31'),
        cancelled_at timestamptz,
        cancel_reason text check (length(cancel_reason) between 1 and 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint booking_items_booking foreign key (booking_id, currency)
          references bookings (id, currency) on delete restrict on update restrict,
        constraint booking_items_id_currency unique (id, currency),
        constraint booking_items_total check (total_sell_cents = quantity * unit_sell_cents),
        constraint booking_items_sign check (
          case type when 'discount' then unit_sell_cents <= 0 when 'adjustment' then true else unit_sell_cents >= 0 end
        ),
        constraint booking_items_tax check (
          tax_included_cents between least(0, total_sell_cents) and greatest(0, total_sell_cents)
        ),
        constraint booking_items_cost check ((cost_cents is null) = (cost_currency is null)),
        constraint booking_items_cancellation check (
          (cancelled_at is not null) = (status = 'cancelled') and (cancel_reason is null or status = 'cancelled')
        )
      )`);
    await runner.query('create index booking_items_booking_id on booking_items (booking_id, created_at, id)');
    await runner.query('create index booking_items_service_date on booking_items (service_date)');

    await runner.query(`
      create function bookings_total_is_the_sum() returns trigger language plpgsql as $$
      declare
        booking bookings;
        items integer;
        live integer;
        total numeric;
      begin
        if tg_table_name = 'bookings' then
          select * into booking from bookings where id = new.id;
        elsif tg_op = 'DELETE' then
          select * into booking from bookings where id = old.booking_id;
        else
          select * into booking from bookings where id = new.booking_id;
        end if;
        if not found then
          return null;
        end if;
        select count(*), count(*) filter (where status <> 'cancelled'),
               coalesce(sum(total_sell_cents) filter (where status <> 'cancelled'), 0)
        into items, live, total from booking_items where booking_id = booking.id;
        if booking.total_cents is distinct from (case when items > 0 then total end) then
          raise exception 'the total of booking % is not the sum of its live items', booking.id
            using errcode = 'check_violation', constraint = 'bookings_total_is_the_sum', table = 'bookings';
        end if;
        if booking.status = 'cancelled' and live > 0 then
          raise exception 'booking % is cancelled, and items of it are not', booking.id
            using errcode = 'check_violation', constraint = 'bookings_cancelled_with_items', table = 'bookings';
        end if;
        return null;
      end $$`);
    await runner.query(`
      create constraint trigger booking_items_move_total after insert or delete on booking_items
      deferrable initially deferred for each row execute function bookings_total_is_the_sum()`);
    await runner.query(`
      create constraint trigger booking_items_change_total after update on booking_items
      deferrable initially deferred for each row
      when (old.total_sell_cents <> new.total_sell_cents or old.booking_id <> new.booking_id
            or (old.status = 'cancelled') <> (new.status = 'cancelled'))
      execute function bookings_total_is_the_sum()`);
    await runner.query(`
      create constraint trigger bookings_have_total after insert on bookings
      deferrable initially deferred for each row execute function bookings_total_is_the_sum()`);
    await runner.query(`
      create constraint trigger bookings_change_total after update on bookings
      deferrable initially deferred for each row
      when (old.total_cents is distinct from new.total_cents or old.status <> new.status)
      execute function bookings_total_is_the_sum()`);

    await runner.query(`
      create table booking_number_counters (
        year integer primary key check (year between 1900 and 2199),
        last_number integer not null check (last_number > 0)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table booking_number_counters');
    await runner.query('drop table booking_items');
    await runner.query('drop table bookings');
    await runner.query('drop function bookings_total_is_the_sum()');
  }
}
