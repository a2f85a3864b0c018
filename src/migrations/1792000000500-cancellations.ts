import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Number.MAX_SAFE_INTEGER: the largest amount that JSON clients read exactly. */
const MAX_CENTS = '9007199254740991';

/** What a cancellation needs in order to be settled or reversed. */
export class Cancellations1792000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Items that were cancelled before their booking stay cancelled when the booking is reinstated. Of the existing rows, an
    // item of a cancelled booking cannot have been cancelled after it.
    await runner.query(`
      alter table booking_items
        add column cancelled_with_booking boolean not null default false,
        add column fee_of_item_id text references booking_items on delete restrict;
      update booking_items i set cancelled_with_booking = true
      from bookings b where b.id = i.booking_id and b.status = 'cancelled' and i.cancelled_at >= b.cancelled_at;
      alter table booking_items
        add constraint booking_items_cancelled_with_booking check (not cancelled_with_booking or status = 'cancelled'),
        add constraint booking_items_fee check (fee_of_item_id is null or (type = 'fee' and fee_of_item_id <> id));
      create index booking_items_fee_of_item_id on booking_items (fee_of_item_id) where fee_of_item_id is not null;`);

    // A line that was voided by a cancellation, not by staff, is restored with it. A reversing line is void once what it
    // reversed is earned again.
    await runner.query(`
      alter table commission_lines
        add column voided_by_cancellation boolean not null default false,
        add constraint commission_lines_cancelled check (not voided_by_cancellation or status = 'void'),
        drop constraint commission_lines_reversal,
        add constraint commission_lines_reversal check (
          reverses_id is null or (reverses_id <> id and status in ('payable', 'paid', 'void'))
        ),
        drop constraint commission_lines_reverses_id;
      create unique index commission_lines_reverses_id on commission_lines (reverses_id) where status <> 'void';`);

    await this.createSettlements(runner);
    await this.openSettlements(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table cancellation_settlements');
    await runner.query('drop function cancellation_settlements_final');
    await runner.query('alter table commission_lines disable trigger commission_lines_stay');
    await runner.query(`
      delete from commission_lines where reverses_id is not null and status = 'void';
      alter table commission_lines enable trigger commission_lines_stay;
      drop index commission_lines_reverses_id;
      alter table commission_lines
        add constraint commission_lines_reverses_id unique (reverses_id),
        drop constraint commission_lines_reversal,
        add constraint commission_lines_reversal check (
          reverses_id is null or (reverses_id <> id and status in ('payable', 'paid'))
        ),
        drop column voided_by_cancellation`);
    await runner.query('alter table booking_items drop column fee_of_item_id, drop column cancelled_with_booking');
  }

  private async createSettlements(runner: QueryRunner): Promise<void> {
    // `plan_before`: the installments before the cancellation, which a reinstatement restores.
    await runner.query(`
      create table cancellation_settlements (
        id text primary key,
        booking_id text not null,
        currency text not null,
        status text not null check (status in ('open', 'settled')),
        cancelled_on date not null check (cancelled_on between '1900-01-01' and '2199-12-31'),
        initiator text not null check (initiator in ('customer', 'operator', 'force_majeure')),
        total_cents bigint not null check (total_cents between 0 and ${MAX_CENTS}),
        lines jsonb not null check (jsonb_typeof(lines) = 'array'),
        warnings jsonb not null check (jsonb_typeof(warnings) = 'array'),
        computed_fee_cents bigint,
        agreed_fee_cents bigint,
        fee_reason text check (length(fee_reason) between 1 and 2000),
        outcome text not null check (outcome in ('refund', 'credit')),
        refund_due_on date not null check (refund_due_on between '1900-01-01' and '2299-12-31'),
        rest_cents bigint check (rest_cents between 0 and ${MAX_CENTS}),
        plan_before jsonb not null check (jsonb_typeof(plan_before) = 'array'),
        fee_schedule_id text references payment_schedules on delete restrict,
        fee_invoice_id text references invoices on delete restrict,
        refund_id text references payments on delete restrict,
        settled_on date,
        settled_at timestamptz,
        reinstated_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint cancellation_settlements_booking foreign key (booking_id, currency) references bookings (id, currency),
        constraint cancellation_settlements_fees check (
          computed_fee_cents between 0 and total_cents and agreed_fee_cents between 0 and total_cents
        ),
        constraint cancellation_settlements_reason check (
          agreed_fee_cents is not distinct from computed_fee_cents or fee_reason is not null
        ),
        constraint cancellation_settlements_settled check (
          num_nulls(settled_on, settled_at, rest_cents) = case status when 'settled' then 0 else 3 end
          and (status = 'open' or agreed_fee_cents is not null)
          and (status = 'settled' or num_nonnulls(fee_schedule_id, fee_invoice_id, refund_id) = 0)
        ),
        constraint cancellation_settlements_reinstated check (reinstated_at is null or status = 'open')
      );
      create unique index cancellation_settlements_live on cancellation_settlements (booking_id)
      where reinstated_at is null;
      create index cancellation_settlements_created on cancellation_settlements (created_at, id);
      create index cancellation_settlements_due on cancellation_settlements (refund_due_on) where status = 'open';`);
    await runner.query(`
      create function cancellation_settlements_final() returns trigger language plpgsql as $$
      begin
        raise exception 'settlement % is settled or reinstated and stays as it is', old.id
          using errcode = 'check_violation', constraint = 'cancellation_settlements_final',
            table = 'cancellation_settlements';
      end $$;
      create trigger cancellation_settlements_final before update or delete on cancellation_settlements
      for each row when (old.status = 'settled' or old.reinstated_at is not null)
      execute function cancellation_settlements_final();`);
  }

  /**
   * Bookings that were cancelled before there were settlements, and have invoices or money. Their fee was never computed, so
   * that staff decide it. The ID is derived from the booking's, because statements are the same for every database.
   */
  private async openSettlements(runner: QueryRunner): Promise<void> {
    await runner.query(`
      insert into cancellation_settlements (id, booking_id, currency, status, cancelled_on, initiator, total_cents, lines,
        warnings, computed_fee_cents, outcome, refund_due_on, plan_before, version, created_at, updated_at)
      select 'cset_0' || (
          select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + get_byte(digest.bytes, place) % 32, 1), '')
          from generate_series(0, 24) place),
        b.id, b.currency, 'open', b.cancelled_at::date, 'customer',
        (select greatest(coalesce(sum(i.total_sell_cents), 0), 0) from booking_items i
         where i.booking_id = b.id and i.cancelled_with_booking),
        '[]', '[]', null, 'refund', b.cancelled_at::date + 14, '[]', 1, b.cancelled_at, b.cancelled_at
      from bookings b cross join lateral (select sha256(convert_to(b.id, 'UTF8')) as bytes) digest
      where b.status = 'cancelled' and (
        exists (select from invoices v where v.booking_id = b.id and v.status <> 'void')
        or exists (select from payments p where p.booking_id = b.id and p.status = 'completed'))`);
  }
}
