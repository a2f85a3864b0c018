import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A commission that was paid out is adjusted when the sale changes, by lines over any difference instead of one that takes
 * back all of it. A payout is a payment, which can be reversed. The column `reverses_id` keeps its name, because processes
 * of earlier builds write it.
 */
export class CommissionAdjustments1795830000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.addPayouts(runner);
    await this.recordEarlierPayouts(runner);
    await this.allowAdjustments(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table commission_lines disable trigger user;
      delete from commission_lines line where reverses_id is not null and (
        status in ('void', 'accrued') or amount_cents <> -(select amount_cents from commission_lines where id = line.reverses_id));
      alter table commission_lines enable trigger user;
      drop index commission_lines_open_adjustment, commission_lines_recipient;
      create unique index commission_lines_reverses_id on commission_lines (reverses_id) where status <> 'void';
      alter table commission_lines
        drop constraint commission_lines_amount, drop constraint commission_lines_reversal,
        drop column adjust_reason, drop column trigger_lost,
        add constraint commission_lines_amount check (
          case when reverses_id is null then amount_cents >= 0 else amount_cents < 0 end
        ),
        add constraint commission_lines_reversal check (
          reverses_id is null or (reverses_id <> id and status in ('payable', 'paid', 'void'))
        )`);
    await runner.query(`
      create or replace function commission_lines_stay() returns trigger language plpgsql as $$
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
    await this.assertMirror(runner, 'and paid.amount_cents = -new.amount_cents');
    await this.assertWithinItem(runner, 'and reverses_id is null');

    await runner.query(`
      alter table payments disable trigger user;
      delete from payments where kind = 'commission_payout';
      alter table payments enable trigger user;
      drop trigger payments_commission_frozen on payments;
      alter table payments
        drop constraint payments_kind_check, drop constraint payments_side, drop constraint payments_reversal,
        drop constraint payments_payout, drop column commission_id,
        add constraint payments_kind_check check (
          kind in ('receipt', 'refund', 'transfer_in', 'transfer_out', 'supplier_payment')
        ),
        add constraint payments_side check (
          (direction = 'in') = (kind in ('receipt', 'transfer_in'))
          and (booking_id is not null) = (kind in ('receipt', 'refund', 'transfer_in', 'transfer_out'))
          and (supplier_invoice_id is not null) = (kind = 'supplier_payment')
        ),
        add constraint payments_reversal check (
          num_nulls(reversed_at, reversal_reason, reversal_kind, reversed_on, reversal_posting_date)
            = case status when 'reversed' then 0 else 5 end
          and (status <> 'reversed' or kind in ('refund', 'transfer_out') or unapplied_cents = amount_cents)
        )`);
    await this.assertConserved(runner, '');
  }

  /** Negative lines are paid back by the partner. The commission is what such a payment settles, so none of it is unapplied. */
  private async addPayouts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table payments
        add column commission_id text references commission_lines,
        drop constraint payments_kind_check, drop constraint payments_side, drop constraint payments_reversal,
        add constraint payments_kind_check check (
          kind in ('receipt', 'refund', 'transfer_in', 'transfer_out', 'supplier_payment', 'commission_payout')
        ),
        add constraint payments_side check (
          (kind = 'commission_payout' or (direction = 'in') = (kind in ('receipt', 'transfer_in')))
          and (booking_id is not null) = (kind in ('receipt', 'refund', 'transfer_in', 'transfer_out'))
          and (supplier_invoice_id is not null) = (kind = 'supplier_payment')
          and (commission_id is not null) = (kind = 'commission_payout')
        ),
        add constraint payments_payout check (kind <> 'commission_payout' or unapplied_cents = 0),
        add constraint payments_reversal check (
          num_nulls(reversed_at, reversal_reason, reversal_kind, reversed_on, reversal_posting_date)
            = case status when 'reversed' then 0 else 5 end
          and (status <> 'reversed' or kind in ('refund', 'transfer_out', 'commission_payout')
            or unapplied_cents = amount_cents)
        );
      create index payments_commission_id on payments (commission_id) where commission_id is not null;
      create unique index payments_commission_paid_once on payments (commission_id)
      where commission_id is not null and status = 'completed';
      create trigger payments_commission_frozen before update on payments for each row
      when (old.commission_id is distinct from new.commission_id) execute function refuse_change()`);
    await this.assertConserved(runner, `when kind = 'commission_payout' then true`);
  }

  /**
   * Commissions that were paid out before payouts were payments. They are posted on the first open day if their month is
   * closed, so that closed months stay as they are. The ID is derived from the commission's.
   */
  private async recordEarlierPayouts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      insert into payments (id, direction, kind, commission_id, method, currency, amount_cents, unapplied_cents, auto_apply,
        paid_on, posting_date, reference, source, status, version, created_at, updated_at)
      select 'pay_0' || (
          select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + get_byte(digest.bytes, place) % 32, 1), '')
          from generate_series(0, 24) place),
        case when line.amount_cents > 0 then 'out' else 'in' end, 'commission_payout', line.id, 'other', line.currency,
        abs(line.amount_cents), 0, true, line.paid_on, posting_day(line.paid_on), line.payout_reference, 'manual',
        'completed', 1, line.paid_at, line.paid_at
      from commission_lines line cross join lateral (select sha256(convert_to(line.id, 'UTF8')) as bytes) digest
      where line.status = 'paid' and line.amount_cents <> 0`);
    await runner.query('set constraints all immediate');
    await runner.query('set constraints all deferred');
  }

  private async allowAdjustments(runner: QueryRunner): Promise<void> {
    // A paid line changes only when its payout is reversed, or when its trigger is lost or met again.
    await runner.query(`
      create or replace function commission_lines_stay() returns trigger language plpgsql as $$
      declare
        changing text[] := array['trigger_lost', 'version', 'updated_at'];
      begin
        if tg_op = 'DELETE' then
          raise exception 'a commission is voided, never deleted'
            using errcode = 'check_violation', constraint = 'commission_lines_stay', table = 'commission_lines';
        end if;
        if old.status = 'paid' and new.status = 'payable' and not exists (
          select from payments where commission_id = old.id and status = 'completed'
        ) then
          changing := changing || array['status', 'paid_on', 'paid_at', 'payout_reference'];
        end if;
        if old.status = 'paid' and to_jsonb(old) - changing <> to_jsonb(new) - changing then
          raise exception 'commission % was paid out and stays as it is', old.id
            using errcode = 'check_violation', constraint = 'commission_lines_paid_stay', table = 'commission_lines';
        end if;
        return new;
      end $$`);
    await runner.query(`
      alter table commission_lines
        add column adjust_reason text check (
          adjust_reason in ('item_changed', 'item_cancelled', 'waived', 'payment_reversed', 'payment_restored')
        ),
        add column trigger_lost boolean not null default false,
        drop constraint commission_lines_amount, drop constraint commission_lines_reversal,
        add constraint commission_lines_amount check (
          case when reverses_id is null then amount_cents >= 0 else amount_cents <> 0 end
        ),
        add constraint commission_lines_reversal check (
          reverses_id is null or reverses_id <> id and status <> 'pending' and (status <> 'accrued' or amount_cents > 0)
        ),
        add constraint commission_lines_adjust_reason check (adjust_reason is null or reverses_id is not null);
      drop index commission_lines_reverses_id;
      create unique index commission_lines_open_adjustment on commission_lines (reverses_id)
      where status in ('accrued', 'payable');
      create index commission_lines_recipient on commission_lines (recipient_id) where recipient_id is not null`);
    await this.assertMirror(runner, '');
    await this.assertWithinItem(runner, '');
  }

  private async assertMirror(runner: QueryRunner, amount: string): Promise<void> {
    await runner.query(`
      create or replace function commission_lines_mirror() returns trigger language plpgsql as $$
      begin
        if not exists (
          select from commission_lines paid
          where paid.id = new.reverses_id and (paid.status = 'paid' or new.status = 'void') and paid.reverses_id is null
            and paid.booking_item_id = new.booking_item_id ${amount}
        ) then
          raise exception 'commission % adjusts no commission of its item that was paid out', new.id
            using errcode = 'check_violation', constraint = 'commission_lines_mirror', table = 'commission_lines';
        end if;
        return new;
      end $$`);
  }

  private async assertWithinItem(runner: QueryRunner, counted: string): Promise<void> {
    await runner.query(`
      create or replace function commission_lines_within_item() returns trigger language plpgsql as $$
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
        where booking_item_id = item.id and status <> 'void' ${counted};
        if earned > item.total_sell_cents then
          raise exception 'the commissions of item % exceed what it is sold for', item.id
            using errcode = 'check_violation', constraint = 'commission_lines_within_item', table = 'commission_lines';
        end if;
        return null;
      end $$`);
  }

  private async assertConserved(runner: QueryRunner, payouts: string): Promise<void> {
    await runner.query(`
      create or replace function assert_conserved(payment text) returns void language plpgsql as $$
      begin
        perform from payments where id = payment and case ${payouts}
          when kind in ('refund', 'transfer_out')
          then covered_cents = (
              select coalesce(sum(signed_cents), 0) from payment_allocations where refund_id = payment)
            and (status <> 'requested' or covered_cents = amount_cents)
          else amount_cents - unapplied_cents = (
            select coalesce(sum(signed_cents), 0) from payment_allocations where payment_id = payment) end;
        if not found then
          raise exception 'Payment % is not the sum of its allocations and of what is unapplied', payment
            using errcode = 'check_violation', constraint = 'payments_conservation';
        end if;
      end $$`);
  }
}
