import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How bookings are to be paid. At every commit the installments of a booking's current plan, with what was waived, add
 * up to the booking's total, whoever changed which of them; a cancelled booking's need not. A plan that came in from
 * elsewhere may be off by a known amount, which never grows.
 */
export class PaymentPlans1790000001100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table payment_policies (
        id text primary key check (id = 'organization'),
        steps jsonb not null check (jsonb_typeof(steps) = 'array' and jsonb_array_length(steps) between 1 and 12),
        minimum_days integer not null check (minimum_days between 0 and 3650),
        floor_days integer not null check (floor_days between 0 and 3650),
        no_date_days integer check (no_date_days between 0 and 3650),
        round_to_cents bigint check (round_to_cents between 1 and 9007199254740991),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`);

    await runner.query(`
      create table payment_plans (
        id text primary key,
        booking_id text not null references bookings,
        plan_version integer not null check (plan_version >= 1),
        policy jsonb check (jsonb_typeof(policy) = 'object'),
        source text not null check (source in ('request', 'booking', 'organization', 'none')),
        total_cents bigint not null check (total_cents between 0 and 9007199254740991),
        off_by_cents bigint not null default 0,
        is_current boolean not null,
        created_at timestamptz not null,
        constraint payment_plans_version unique (booking_id, plan_version),
        constraint payment_plans_of_booking unique (id, booking_id, plan_version),
        constraint payment_plans_policy check ((policy is null) = (source = 'none'))
      )`);
    await runner.query('create unique index payment_plans_current on payment_plans (booking_id) where is_current');

    // overdue_told_for: the due date of which the event payment_schedule.overdue has been sent.
    await runner.query(`
      create table payment_schedules (
        id text primary key,
        booking_id text not null,
        plan_id text not null,
        plan_version integer not null,
        currency text not null,
        position integer not null check (position >= 1),
        type text not null check (type in ('deposit', 'installment', 'balance', 'amendment', 'other')),
        label text not null check (length(label) between 1 and 120),
        basis text not null check (basis in ('booking', 'departure', 'full', 'amendment', 'manual')),
        due_date date not null check (due_date between '1900-01-01' and '2199-12-31'),
        amount_cents bigint not null check (amount_cents between 1 and 9007199254740991),
        paid_cents bigint not null,
        status text not null check (status in ('pending', 'paid', 'cancelled')),
        waived boolean not null,
        notes text check (length(notes) <= 2000),
        overdue_told_for date,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint payment_schedules_plan foreign key (plan_id, booking_id, plan_version)
          references payment_plans (id, booking_id, plan_version),
        constraint payment_schedules_currency foreign key (booking_id, currency) references bookings (id, currency),
        constraint payment_schedules_position unique (plan_id, position),
        constraint payment_schedules_paid check (paid_cents between 0 and amount_cents),
        constraint payment_schedules_settled check (
          (status = 'paid') = (paid_cents = amount_cents and status <> 'cancelled')
        ),
        constraint payment_schedules_cancelled check (status <> 'cancelled' or paid_cents = 0),
        constraint payment_schedules_waived check (not waived or status = 'cancelled')
      )`);
    await runner.query('create index payment_schedules_booking on payment_schedules (booking_id, due_date, position)');
    await runner.query(`create index payment_schedules_due on payment_schedules (due_date) where status = 'pending'`);

    await runner.query(`
      create function payment_plans_assert_sum() returns trigger language plpgsql as $$
      declare
        booking text;
        expected bigint;
        actual bigint;
      begin
        if tg_table_name = 'bookings' then booking := new.id;
        elsif tg_op = 'DELETE' then booking := old.booking_id;
        else booking := new.booking_id;
        end if;
        select coalesce(b.total_cents, 0) + p.off_by_cents,
               (select coalesce(sum(s.amount_cents), 0) from payment_schedules s
                where s.plan_id = p.id and (s.status <> 'cancelled' or s.waived))
          into expected, actual
          from payment_plans p join bookings b on b.id = p.booking_id
          where p.booking_id = booking and p.is_current and b.status <> 'cancelled';
        if expected <> actual then
          raise exception 'The plan of booking % adds up to %, not to %', booking, actual, expected
            using errcode = '23514', constraint = 'payment_plans_sum';
        end if;
        return null;
      end $$`);
    const deferred = 'deferrable initially deferred for each row';
    await runner.query(`
      create constraint trigger payment_schedules_sum after insert or delete on payment_schedules
      ${deferred} execute function payment_plans_assert_sum()`);
    // Money that comes and goes moves paid_cents and the status, and not the sum.
    await runner.query(`
      create constraint trigger payment_schedules_changed_sum after update on payment_schedules
      ${deferred} when (
        old.amount_cents <> new.amount_cents or old.waived <> new.waived or old.plan_id <> new.plan_id
        or (old.status = 'cancelled') <> (new.status = 'cancelled')
      ) execute function payment_plans_assert_sum()`);
    await runner.query(`
      create constraint trigger payment_plans_sum after insert or update on payment_plans
      ${deferred} execute function payment_plans_assert_sum()`);
    await runner.query(`
      create constraint trigger bookings_plan_sum after update on bookings
      ${deferred} when (
        old.total_cents is distinct from new.total_cents or old.status is distinct from new.status
      ) execute function payment_plans_assert_sum()`);

    await runner.query(`
      create function payment_plans_assert_nearer() returns trigger language plpgsql as $$
      begin
        raise exception 'A plan that is off by % cannot become off by %', old.off_by_cents, new.off_by_cents
          using errcode = '23514', constraint = 'payment_plans_nearer';
      end $$`);
    await runner.query(`
      create trigger payment_plans_nearer before update on payment_plans for each row
      when (abs(new.off_by_cents) > abs(old.off_by_cents)) execute function payment_plans_assert_nearer()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger bookings_plan_sum on bookings');
    await runner.query('drop table payment_schedules');
    await runner.query('drop table payment_plans');
    await runner.query('drop table payment_policies');
    await runner.query('drop function payment_plans_assert_sum()');
    await runner.query('drop function payment_plans_assert_nearer()');
  }
}
