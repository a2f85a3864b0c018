import type { MigrationInterface, QueryRunner } from 'typeorm';

const MAX = '9007199254740991';

/**
 * What selling partners earn on booking items. What was paid out stays as it is: it is taken back by a line of its own,
 * over the same amount below 0. The live lines of an item never exceed what it is sold for, which is checked at the commit.
 */
export class Commissions1790000001600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table commission_lines (
        id text primary key,
        booking_id text not null references bookings on delete restrict,
        booking_item_id text not null,
        currency text not null,
        recipient_type text not null check (recipient_type in (
          'channel', 'affiliate', 'agency', 'agent', 'internal', 'supplier', 'other'
        )),
        recipient_name text not null check (length(recipient_name) between 1 and 255),
        recipient_id text check (length(recipient_id) between 1 and 100),
        channel_id text references channels on delete restrict,
        commission_model text not null check (commission_model in ('percentage', 'fixed', 'markup', 'net')),
        basis text check (basis in ('net_sell', 'gross_sell', 'margin')),
        rate_basis_points integer check (rate_basis_points between 0 and 10000),
        fixed_cents bigint check (fixed_cents between 0 and ${MAX}),
        per_unit boolean not null,
        net_rate_cents bigint check (net_rate_cents between 0 and ${MAX}),
        base_cents bigint not null check (base_cents between 0 and ${MAX}),
        amount_cents bigint not null check (amount_cents between -${MAX} and ${MAX}),
        computed_at timestamptz not null,
        payable_trigger text not null check (payable_trigger in ('paid_in_full', 'departed', 'both')),
        status text not null check (status in ('pending', 'accrued', 'payable', 'paid', 'void')),
        payable_at timestamptz,
        paid_on date check (paid_on between '1900-01-01' and '2199-12-31'),
        paid_at timestamptz,
        payout_reference text check (length(payout_reference) between 1 and 255),
        voided_at timestamptz,
        void_reason text check (length(void_reason) between 1 and 2000),
        reverses_id text constraint commission_lines_reverses_id unique references commission_lines on delete restrict,
        notes text check (length(notes) <= 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint commission_lines_item foreign key (booking_item_id, currency)
          references booking_items (id, currency) on delete restrict on update restrict,
        constraint commission_lines_model check (
          (basis is not null) = (commission_model = 'percentage')
          and (rate_basis_points is not null) = (commission_model in ('percentage', 'markup'))
          and (fixed_cents is not null) = (commission_model = 'fixed')
          and (net_rate_cents is not null) = (commission_model = 'net')
          and (not per_unit or commission_model = 'fixed')
        ),
        constraint commission_lines_amount check (
          case when reverses_id is null then amount_cents >= 0 else amount_cents < 0 end
        ),
        constraint commission_lines_reversal check (
          reverses_id is null or (reverses_id <> id and status in ('payable', 'paid'))
        ),
        constraint commission_lines_payable check ((payable_at is not null) = (status in ('payable', 'paid'))),
        constraint commission_lines_payout check (
          (paid_at is not null) = (status = 'paid') and (paid_on is not null) = (status = 'paid')
          and (payout_reference is null or status = 'paid')
        ),
        constraint commission_lines_voiding check (
          (voided_at is not null) = (status = 'void') and (void_reason is not null) = (status = 'void')
        )
      )`);
    await runner.query('create index commission_lines_item on commission_lines (booking_item_id, created_at, id)');
    await runner.query('create index commission_lines_booking on commission_lines (booking_id)');
    await runner.query('create index commission_lines_status on commission_lines (status)');
    await runner.query('create index commission_lines_channel_id on commission_lines (channel_id)');
    // Those that the calendar makes payable.
    await runner.query(`
      create index commission_lines_waiting on commission_lines (booking_id)
      where status = 'accrued' and payable_trigger <> 'paid_in_full'`);

    await runner.query(`
      create function commission_lines_stay() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' then
          raise exception 'a commission is voided, never deleted'
            using errcode = 'check_violation', constraint = 'commission_lines_stay', table = 'commission_lines';
        elsif old.status = 'paid' then
          raise exception 'commission % was paid out and stays as it is', old.id
            using errcode = 'check_violation', constraint = 'commission_lines_paid_stay', table = 'commission_lines';
        end if;
        return new;
      end $$`);
    await runner.query(`
      create trigger commission_lines_stay before update or delete on commission_lines
      for each row execute function commission_lines_stay()`);

    await runner.query(`
      create function commission_lines_within_item() returns trigger language plpgsql as $$
      declare
        item booking_items;
        earned numeric;
      begin
        if tg_table_name = 'booking_items' then
          select * into item from booking_items where id = new.id;
        else
          select * into item from booking_items where id = new.booking_item_id;
        end if;
        if not found or item.status = 'cancelled' then
          return null;
        end if;
        select sum(amount_cents) into earned from commission_lines
        where booking_item_id = item.id and status <> 'void' and reverses_id is null;
        if earned > item.total_sell_cents then
          raise exception 'the commissions of item % exceed what it is sold for', item.id
            using errcode = 'check_violation', constraint = 'commission_lines_within_item', table = 'commission_lines';
        end if;
        return null;
      end $$`);
    await runner.query(`
      create constraint trigger commission_lines_within_item after insert or update on commission_lines
      deferrable initially deferred for each row execute function commission_lines_within_item()`);
    await runner.query(`
      create constraint trigger booking_items_bear_commissions after update on booking_items
      deferrable initially deferred for each row when (new.total_sell_cents < old.total_sell_cents)
      execute function commission_lines_within_item()`);

    await runner.query(`
      create function commission_lines_mirror() returns trigger language plpgsql as $$
      begin
        if not exists (
          select from commission_lines paid
          where paid.id = new.reverses_id and paid.status = 'paid' and paid.reverses_id is null
            and paid.booking_item_id = new.booking_item_id and paid.amount_cents = -new.amount_cents
        ) then
          raise exception 'commission % does not take back what was paid', new.id
            using errcode = 'check_violation', constraint = 'commission_lines_mirror', table = 'commission_lines';
        end if;
        return new;
      end $$`);
    await runner.query(`
      create trigger commission_lines_mirror before insert or update on commission_lines
      for each row when (new.reverses_id is not null) execute function commission_lines_mirror()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger booking_items_bear_commissions on booking_items');
    await runner.query('drop table commission_lines');
    await runner.query(
      'drop function commission_lines_stay(), commission_lines_within_item(), commission_lines_mirror()',
    );
  }
}
