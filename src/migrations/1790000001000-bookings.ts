import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Number.MAX_SAFE_INTEGER: the largest amount that JSON clients read exactly. */
const MAX_CENTS = '9007199254740991';

/** Bookings and their items. */
export class Bookings1790000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createBookings(runner);
    await this.createItems(runner);
    await this.assertTotals(runner);
    // No entity: one upsert draws the next number of a year.
    await runner.query(`
      create table booking_number_counters (
        year integer primary key check (year between 1900 and 2199),
        last_number integer not null check (last_number > 0)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table allotment_movements drop constraint allotment_movements_item');
    await runner.query('drop table booking_number_counters, booking_items, bookings');
    await runner.query('drop function bookings_total_is_the_sum, bookings_terms_stay');
  }

  private async createBookings(runner: QueryRunner): Promise<void> {
    // `terms`: the versions of the policies under which the booking was confirmed, with a digest. They never change,
    // even if the policies do.
    await runner.query(`
      create table bookings (
        id text primary key,
        number text not null check (length(number) between 1 and 40) constraint bookings_number unique,
        status text not null check (status in ('draft', 'confirmed', 'in_progress', 'completed', 'cancelled')),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        total_cents bigint constraint bookings_total_bounds check (total_cents between 0 and ${MAX_CENTS}),
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
        terms jsonb check (jsonb_typeof(terms) = 'array'),
        terms_sha256 text check (terms_sha256 ~ '^[0-9a-f]{64}$'),
        constraint bookings_id_currency unique (id, currency),
        constraint bookings_dates check (end_date >= start_date),
        constraint bookings_confirmation check (
          (confirmed_at is null or status <> 'draft') and (confirmed_at is not null or status in ('draft', 'cancelled'))
        ),
        constraint bookings_cancellation check (
          (cancelled_at is not null) = (status = 'cancelled') and (cancel_reason is not null) = (status = 'cancelled')
        ),
        constraint bookings_terms_digest check ((terms is null) = (terms_sha256 is null)),
        constraint bookings_terms_of_confirmed check (terms is null or confirmed_at is not null)
      );
      create index bookings_status on bookings (status);
      create index bookings_start_date on bookings (start_date);
      create index bookings_created on bookings (created_at, id);
      create index bookings_channel_id on bookings (channel_id);
      create index bookings_search on bookings using gin (customer_name gin_trgm_ops, number gin_trgm_ops);`);
    await runner.query(`
      create function bookings_terms_stay() returns trigger language plpgsql as $$
      begin
        raise exception 'the terms of booking % were sold and stay', old.id using errcode = 'restrict_violation';
      end $$;
      create trigger bookings_terms_stay before update on bookings for each row
      when (old.terms is not null
            and (old.terms, old.terms_sha256) is distinct from (new.terms, new.terms_sha256))
      execute function bookings_terms_stay();`);
  }

  private async createItems(runner: QueryRunner): Promise<void> {
    // An item has the currency of its booking; the foreign key prevents a change of that currency once there are items.
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
        unit_sell_cents bigint not null check (unit_sell_cents between -${MAX_CENTS} and ${MAX_CENTS}),
        total_sell_cents bigint not null check (total_sell_cents between -${MAX_CENTS} and ${MAX_CENTS}),
        tax_included_cents bigint not null,
        cost_cents bigint check (cost_cents between 0 and ${MAX_CENTS}),
        cost_currency text check (cost_currency ~ '^[A-Z]{3}$'),
        pricing_treatment text not null check (pricing_treatment in ('standard', 'pass_through')),
        service_date date check (service_date between '1900-01-01' and '2199-12-31'),
        cancelled_at timestamptz,
        cancel_reason text check (length(cancel_reason) between 1 and 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        departure_id text constraint booking_items_departure references departures on delete restrict,
        allotment_id text constraint booking_items_allotment references allotments on delete restrict,
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
        ),
        constraint booking_items_units check (allotment_id is null or departure_id is not null)
      );
      create index booking_items_booking_id on booking_items (booking_id, created_at, id);
      create index booking_items_service_date on booking_items (service_date);
      create index booking_items_departure_id on booking_items (departure_id);
      create index booking_items_allotment_id on booking_items (allotment_id);`);

    // Items refer to allotments and movements to items, so that one of the two foreign keys has to be added afterwards.
    await runner.query(`
      alter table allotment_movements add constraint allotment_movements_item
      foreign key (booking_item_id) references booking_items on delete restrict`);
  }

  /**
   * The total of a booking is the sum of its items that are not cancelled, and a cancelled booking has no such items.
   * The triggers are deferred to the commit, because a use case changes both with several statements.
   */
  private async assertTotals(runner: QueryRunner): Promise<void> {
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
      deferrable initially deferred for each row execute function bookings_total_is_the_sum();
      create constraint trigger booking_items_change_total after update on booking_items
      deferrable initially deferred for each row
      when (old.total_sell_cents <> new.total_sell_cents or old.booking_id <> new.booking_id
            or (old.status = 'cancelled') <> (new.status = 'cancelled'))
      execute function bookings_total_is_the_sum();
      create constraint trigger bookings_have_total after insert on bookings
      deferrable initially deferred for each row execute function bookings_total_is_the_sum();
      create constraint trigger bookings_change_total after update on bookings
      deferrable initially deferred for each row
      when (old.total_cents is distinct from new.total_cents or old.status <> new.status)
      execute function bookings_total_is_the_sum();`);
  }
}
