import type { MigrationInterface, QueryRunner } from 'typeorm';

const TARGETS = [
  ['payment_schedules', 'schedule_id'],
  ['supplier_invoices', 'supplier_invoice_id'],
];

/**
 * Payments and what they settle. A payment is never edited or deleted, an allocation never changed: what was wrong is
 * reversed by a row of its own, once. At the commit each payment is the sum of its live allocations and of what is not
 * applied, and each target's paid amount is the sum of its live allocations; the target's own check keeps that within
 * its total. Invoices are bound by the migration that follows theirs.
 */
export class Payments1790000001200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table payments (
        id text primary key,
        direction text not null check (direction in ('in', 'out')),
        booking_id text,
        supplier_invoice_id text references supplier_invoices,
        method text not null check (
          method in ('bank_transfer', 'card', 'cash', 'cheque', 'wallet', 'direct_bill', 'other')
        ),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        amount_cents bigint not null check (amount_cents between 1 and 9007199254740991),
        unapplied_cents bigint not null,
        paid_on date not null check (paid_on between '1900-01-01' and '2199-12-31'),
        reference text check (length(reference) between 1 and 255),
        source text not null check (source in ('manual', 'schedule_patch')),
        status text not null check (status in ('completed', 'reversed')),
        reversed_at timestamptz,
        reversal_reason text check (length(reversal_reason) between 1 and 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint payments_booking foreign key (booking_id, currency) references bookings (id, currency),
        constraint payments_side check (
          (direction = 'in') = (booking_id is not null) and (direction = 'out') = (supplier_invoice_id is not null)
        ),
        constraint payments_unapplied check (unapplied_cents between 0 and amount_cents),
        constraint payments_reversal check (
          (reversed_at is not null) = (status = 'reversed') and (reversal_reason is not null) = (status = 'reversed')
          and (status = 'completed' or unapplied_cents = amount_cents)
        )
      )`);
    await runner.query('create index payments_booking on payments (booking_id)');
    await runner.query('create index payments_supplier_invoice on payments (supplier_invoice_id)');
    await runner.query('create index payments_paid_on on payments (paid_on, id)');
    await runner.query('create index payments_created on payments (created_at, id)');
    await runner.query(`
      create table payment_allocations (
        id text primary key,
        payment_id text not null references payments,
        schedule_id text references payment_schedules,
        invoice_id text,
        supplier_invoice_id text references supplier_invoices,
        amount_cents bigint not null check (amount_cents between 1 and 9007199254740991),
        -- What it adds to its targets: a reversal takes away what the reversed row added.
        signed_cents bigint not null generated always as (
          case when reverses_id is null then amount_cents else -amount_cents end
        ) stored,
        effective_on date not null check (effective_on between '1900-01-01' and '2199-12-31'),
        reverses_id text references payment_allocations,
        created_at timestamptz not null,
        constraint payment_allocations_target check (
          (schedule_id is not null or invoice_id is not null) <> (supplier_invoice_id is not null)
        ),
        constraint payment_allocations_reversed_once unique (reverses_id)
      )`);
    await runner.query('create index payment_allocations_payment on payment_allocations (payment_id)');
    for (const target of ['schedule_id', 'invoice_id', 'supplier_invoice_id']) {
      await runner.query(`
        create index payment_allocations_${target.replace('_id', '')} on payment_allocations (${target})
        where ${target} is not null`);
    }
    await this.keep(runner);
    await this.conserve(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table] of TARGETS) {
      await runner.query(`drop trigger ${table}_paid_is_allocated on ${table}`);
      await runner.query(`drop trigger ${table}_new_is_allocated on ${table}`);
    }
    await runner.query('drop table payment_allocations, payments');
    await runner.query('drop function assert_reversal, assert_payment, assert_allocation, assert_target');
    await runner.query('drop function assert_paid_is_allocated, assert_conserved');
  }

  /** What was recorded stays as it was recorded. */
  private async keep(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create trigger payments_kept before delete or truncate on payments
      for each statement execute function refuse_change()`);
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
    await runner.query(`
      create trigger payment_allocations_append_only before update or delete or truncate on payment_allocations
      for each statement execute function refuse_change()`);
    await runner.query(`
      create function assert_reversal() returns trigger language plpgsql as $$
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
      create trigger payment_allocations_reversal before insert on payment_allocations for each row
      when (new.reverses_id is not null) execute function assert_reversal()`);
  }

  /** Money is neither made nor lost; checked at the commit, when all rows of a transaction are there. */
  private async conserve(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function assert_conserved(payment text) returns void language plpgsql as $$
      begin
        perform from payments where id = payment and amount_cents - unapplied_cents = (
          select coalesce(sum(signed_cents), 0) from payment_allocations where payment_id = payment);
        if not found then
          raise exception 'Payment % is not the sum of its allocations and of what is unapplied', payment
            using errcode = 'check_violation', constraint = 'payments_conservation';
        end if;
      end $$`);
    await runner.query(`
      create function assert_paid_is_allocated(target_table text, target_column text, target text)
      returns void language plpgsql as $$
      declare
        agrees boolean;
      begin
        execute format(
          'select coalesce(sum(signed_cents), 0) = (select paid_cents from %I where id = $1)
           from payment_allocations where %I = $1', target_table, target_column
        ) into agrees using target;
        -- Null: the target was deleted, and a target with allocations cannot be.
        if not agrees then
          raise exception 'What is paid on % is not the sum of its allocations', target
            using errcode = 'check_violation', constraint = target_table || '_paid_is_allocated';
        end if;
      end $$`);
    await runner.query(`
      create function assert_payment() returns trigger language plpgsql as $$
      begin
        perform assert_conserved(new.id);
        return null;
      end $$`);
    await runner.query(`
      create function assert_allocation() returns trigger language plpgsql as $$
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
      create function assert_target() returns trigger language plpgsql as $$
      begin
        perform assert_paid_is_allocated(tg_table_name, tg_argv[0], new.id);
        return null;
      end $$`);
    await runner.query(`
      create constraint trigger payments_conservation after insert or update on payments
      deferrable initially deferred for each row execute function assert_payment()`);
    await runner.query(`
      create constraint trigger payment_allocations_conservation after insert on payment_allocations
      deferrable initially deferred for each row execute function assert_allocation()`);
    for (const [table, column] of TARGETS) {
      await runner.query(`
        create constraint trigger ${table}_paid_is_allocated after update on ${table}
        deferrable initially deferred for each row when (old.paid_cents <> new.paid_cents)
        execute function assert_target('${column}')`);
      await runner.query(`
        create constraint trigger ${table}_new_is_allocated after insert on ${table}
        deferrable initially deferred for each row when (new.paid_cents <> 0)
        execute function assert_target('${column}')`);
    }
  }
}
