import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Kinds of payments: receipts, refunds, transfers between bookings and payments to suppliers. Refunds and transfers take
 * unapplied money of receipts: an allocation to a refund covers it.
 */
export class CustomerMoney1792000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.addPaymentColumns(runner);
    await this.addRefundAllocations(runner);
    await this.assertSums(runner);

    // What was waived keeps the reason.
    await runner.query(`
      alter table payment_schedules
        add column waive_reason text check (length(waive_reason) between 1 and 2000),
        drop constraint payment_schedules_type_check,
        add constraint payment_schedules_type_check
          check (type in ('deposit', 'installment', 'balance', 'amendment', 'fee', 'other'))`);

    // Bookings of one customer are found by the address of the customer.
    await runner.query(`
      create index bookings_customer_email_lower on bookings (lower(customer_email)) where customer_email is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index bookings_customer_email_lower');
    await runner.query(`
      alter table payment_schedules drop column waive_reason,
        drop constraint payment_schedules_type_check,
        add constraint payment_schedules_type_check
          check (type in ('deposit', 'installment', 'balance', 'amendment', 'other'))`);

    await runner.query(`drop trigger payment_allocations_own_debt on payment_allocations;
      drop trigger payments_frozen on payments`);
    await runner.query(`
      create or replace function assert_conserved(payment text) returns void language plpgsql as $$
      begin
        perform from payments where id = payment and amount_cents - unapplied_cents = (
          select coalesce(sum(signed_cents), 0) from payment_allocations where payment_id = payment);
        if not found then
          raise exception 'Payment % is not the sum of its allocations and of what is unapplied', payment
            using errcode = 'check_violation', constraint = 'payments_conservation';
        end if;
      end $$`);
    await runner.query(`
      create or replace function assert_allocation() returns trigger language plpgsql as $$
      begin
        perform assert_conserved(new.payment_id);
        if new.schedule_id is not null then
          perform assert_paid_is_allocated('payment_schedules', 'schedule_id', new.schedule_id);
        end if;
        if new.invoice_id is not null then
          perform assert_paid_is_allocated('invoices', 'invoice_id', new.invoice_id);
        end if;
        if new.supplier_invoice_id is not null then
          perform assert_paid_is_allocated('supplier_invoices', 'supplier_invoice_id', new.supplier_invoice_id);
        end if;
        return null;
      end $$`);
    await runner.query(`
      create or replace function assert_reversal() returns trigger language plpgsql as $$
      begin
        perform from payment_allocations original
        where original.id = new.reverses_id and original.reverses_id is null
          and (original.payment_id, original.schedule_id, original.invoice_id, original.supplier_invoice_id,
               original.amount_cents)
            is not distinct from
              (new.payment_id, new.schedule_id, new.invoice_id, new.supplier_invoice_id, new.amount_cents);
        if not found then
          raise exception 'A reversal repeats the row that it reverses'
            using errcode = 'check_violation', constraint = 'payment_allocations_reversal';
        end if;
        return new;
      end $$`);
    await runner.query(`
      create or replace function assert_own_debt() returns trigger language plpgsql as $$
      begin
        perform from payments payment
        left join payment_schedules schedule on schedule.id = new.schedule_id
        left join invoices invoice on invoice.id = new.invoice_id
        left join supplier_invoices bill on bill.id = new.supplier_invoice_id
        where payment.id = new.payment_id
          and payment.supplier_invoice_id is not distinct from new.supplier_invoice_id
          and payment.booking_id is not distinct from coalesce(schedule.booking_id, invoice.booking_id)
          and (schedule.booking_id is null or invoice.booking_id is null or schedule.booking_id = invoice.booking_id)
          and payment.currency = coalesce(schedule.currency, invoice.currency, bill.currency);
        if not found then
          raise exception 'A payment settles what it came in for'
            using errcode = 'check_violation', constraint = 'payment_allocations_own_debt';
        end if;
        return new;
      end $$;
      create trigger payment_allocations_own_debt before insert on payment_allocations for each row
      when (num_nonnulls(new.schedule_id, new.invoice_id, new.supplier_invoice_id) > 0)
      execute function assert_own_debt()`);
    await runner.query(`
      alter table payment_allocations drop constraint payment_allocations_target, drop column refund_id,
        add constraint payment_allocations_target check (
          (schedule_id is not null or invoice_id is not null) <> (supplier_invoice_id is not null))`);
    await runner.query(`
      alter table payments
        drop constraint payments_side, drop constraint payments_reversal, drop constraint payments_status_check,
        drop column kind, drop column posting_date, drop column auto_apply, drop column reversal_kind,
        drop column reversed_on, drop column reversal_posting_date, drop column covered_cents, drop column due_on,
        drop column transfer_id, drop column receipt_id, drop column replaces_payment_id, drop column reason,
        drop column failed_at, drop column failure_reason,
        add constraint payments_status_check check (status in ('completed', 'reversed')),
        add constraint payments_side check (
          (direction = 'in') = (booking_id is not null) and (direction = 'out') = (supplier_invoice_id is not null)
        ),
        add constraint payments_reversal check (
          (reversed_at is not null) = (status = 'reversed') and (reversal_reason is not null) = (status = 'reversed')
          and (status = 'completed' or unapplied_cents = amount_cents)
        )`);
    await runner.query(`
      create trigger payments_frozen before update on payments for each row
      when (
        old.status = 'reversed'
        or (old.id, old.direction, old.booking_id, old.supplier_invoice_id, old.method, old.currency, old.amount_cents,
            old.paid_on, old.reference, old.source, old.created_at)
          is distinct from
           (new.id, new.direction, new.booking_id, new.supplier_invoice_id, new.method, new.currency, new.amount_cents,
            new.paid_on, new.reference, new.source, new.created_at)
      )
      execute function refuse_change()`);
  }

  private async addPaymentColumns(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger payments_frozen on payments');
    await runner.query(`
      alter table payments
        drop constraint payments_side, drop constraint payments_reversal, drop constraint payments_status_check,
        add column kind text check (kind in ('receipt', 'refund', 'transfer_in', 'transfer_out', 'supplier_payment')),
        add column posting_date date check (posting_date between '1900-01-01' and '2199-12-31'),
        add column auto_apply boolean not null default true,
        add column reversal_kind text check (reversal_kind in ('mistake', 'bounced', 'chargeback')),
        add column reversed_on date,
        add column reversal_posting_date date,
        add column covered_cents bigint not null default 0,
        add column due_on date check (due_on between '1900-01-01' and '2199-12-31'),
        add column transfer_id text,
        add column receipt_id text references payments,
        add column replaces_payment_id text references payments,
        add column reason text check (length(reason) between 1 and 2000),
        add column failed_at timestamptz,
        add column failure_reason text check (length(failure_reason) between 1 and 2000)`);

    // Without its triggers, which would be pending when the columns become required. The day of an earlier reversal is that
    // of the allocations that it reversed, or else the day in UTC.
    await runner.query(`
      alter table payments disable trigger user;
      update payments payment set kind = case direction when 'in' then 'receipt' else 'supplier_payment' end,
        posting_date = paid_on,
        reversal_kind = case status when 'reversed' then 'mistake' end,
        reversed_on = case status when 'reversed' then coalesce(
          (select max(effective_on) from payment_allocations
           where payment_id = payment.id and reverses_id is not null and created_at = payment.reversed_at),
          greatest(paid_on, (reversed_at at time zone 'UTC')::date)) end;
      update payments set reversal_posting_date = reversed_on;
      alter table payments enable trigger user`);

    // The money of a refund or an outgoing transfer is that of other payments, which cover it.
    await runner.query(`
      alter table payments
        alter column kind set not null, alter column posting_date set not null,
        add constraint payments_status_check check (status in ('requested', 'completed', 'failed', 'reversed')),
        add constraint payments_side check (
          (direction = 'in') = (kind in ('receipt', 'transfer_in'))
          and (booking_id is not null) = (kind in ('receipt', 'refund', 'transfer_in', 'transfer_out'))
          and (supplier_invoice_id is not null) = (kind = 'supplier_payment')
        ),
        add constraint payments_requested check (status not in ('requested', 'failed') or kind = 'refund'),
        add constraint payments_reversal check (
          num_nulls(reversed_at, reversal_reason, reversal_kind, reversed_on, reversal_posting_date)
            = case status when 'reversed' then 0 else 5 end
          and (status <> 'reversed' or kind in ('refund', 'transfer_out') or unapplied_cents = amount_cents)
        ),
        add constraint payments_failure check (
          num_nulls(failed_at, failure_reason) = case status when 'failed' then 0 else 2 end
        ),
        add constraint payments_covered check (
          covered_cents between 0 and amount_cents
          and (kind in ('refund', 'transfer_out') and unapplied_cents = 0 or covered_cents = 0)
          and (status in ('requested', 'completed') or covered_cents = 0)
        ),
        add constraint payments_transfer check ((transfer_id is not null) = (kind in ('transfer_in', 'transfer_out'))),
        add constraint payments_transfer_sides unique (transfer_id, kind)`);
    await runner.query(`
      create index payments_requested on payments (due_on, id) where status = 'requested'`);
    await runner.query(`
      create trigger payments_frozen before update on payments for each row
      when (
        old.status in ('failed', 'reversed')
        or old.status = 'completed' and (old.paid_on, old.posting_date, old.reference)
          is distinct from (new.paid_on, new.posting_date, new.reference)
        or (old.id, old.direction, old.kind, old.booking_id, old.supplier_invoice_id, old.method, old.currency,
            old.amount_cents, old.source, old.due_on, old.transfer_id, old.receipt_id, old.replaces_payment_id, old.reason,
            old.created_at)
          is distinct from
           (new.id, new.direction, new.kind, new.booking_id, new.supplier_invoice_id, new.method, new.currency,
            new.amount_cents, new.source, new.due_on, new.transfer_id, new.receipt_id, new.replaces_payment_id, new.reason,
            new.created_at)
      )
      execute function refuse_change()`);
  }

  private async addRefundAllocations(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table payment_allocations
        add column refund_id text references payments,
        drop constraint payment_allocations_target,
        add constraint payment_allocations_target check (
          (schedule_id is not null or invoice_id is not null)::integer + num_nonnulls(supplier_invoice_id, refund_id) = 1
        )`);
    await runner.query(`
      create index payment_allocations_refund on payment_allocations (refund_id) where refund_id is not null`);
  }

  private async assertSums(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function assert_conserved(payment text) returns void language plpgsql as $$
      begin
        perform from payments where id = payment and case when kind in ('refund', 'transfer_out')
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
    await runner.query(`
      create or replace function assert_allocation() returns trigger language plpgsql as $$
      begin
        perform assert_conserved(new.payment_id);
        if new.refund_id is not null then
          perform assert_conserved(new.refund_id);
        end if;
        if new.schedule_id is not null then
          perform assert_paid_is_allocated('payment_schedules', 'schedule_id', new.schedule_id);
        end if;
        if new.invoice_id is not null then
          perform assert_paid_is_allocated('invoices', 'invoice_id', new.invoice_id);
        end if;
        if new.supplier_invoice_id is not null then
          perform assert_paid_is_allocated('supplier_invoices', 'supplier_invoice_id', new.supplier_invoice_id);
        end if;
        return null;
      end $$`);
    await runner.query(`
      create or replace function assert_reversal() returns trigger language plpgsql as $$
      begin
        perform from payment_allocations original
        where original.id = new.reverses_id and original.reverses_id is null
          and (original.payment_id, original.schedule_id, original.invoice_id, original.supplier_invoice_id,
               original.refund_id, original.amount_cents)
            is not distinct from
              (new.payment_id, new.schedule_id, new.invoice_id, new.supplier_invoice_id, new.refund_id, new.amount_cents);
        if not found then
          raise exception 'A reversal repeats the row that it reverses'
            using errcode = 'check_violation', constraint = 'payment_allocations_reversal';
        end if;
        return new;
      end $$`);
    await runner.query('drop trigger payment_allocations_own_debt on payment_allocations');
    await runner.query(`
      create or replace function assert_own_debt() returns trigger language plpgsql as $$
      begin
        perform from payments payment
        left join payment_schedules schedule on schedule.id = new.schedule_id
        left join invoices invoice on invoice.id = new.invoice_id
        left join supplier_invoices bill on bill.id = new.supplier_invoice_id
        left join payments refund on refund.id = new.refund_id
        where payment.id = new.payment_id and payment.kind in ('receipt', 'transfer_in', 'supplier_payment')
          and (refund.id is null or refund.kind in ('refund', 'transfer_out'))
          and payment.supplier_invoice_id is not distinct from new.supplier_invoice_id
          and payment.booking_id is not distinct from
            coalesce(schedule.booking_id, invoice.booking_id, refund.booking_id)
          and (schedule.booking_id is null or invoice.booking_id is null or schedule.booking_id = invoice.booking_id)
          and payment.currency = coalesce(schedule.currency, invoice.currency, bill.currency, refund.currency);
        if not found then
          raise exception 'A payment settles what it came in for'
            using errcode = 'check_violation', constraint = 'payment_allocations_own_debt';
        end if;
        return new;
      end $$;
      create trigger payment_allocations_own_debt before insert on payment_allocations for each row
      when (num_nonnulls(new.schedule_id, new.invoice_id, new.supplier_invoice_id, new.refund_id) > 0)
      execute function assert_own_debt()`);
  }
}
