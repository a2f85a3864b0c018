import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Invoices are paid like installments: what is paid on one is the sum of its live allocations. And money stays where it
 * came in for: a payment settles its own booking or its own supplier invoice, in its own currency.
 */
export class InvoicePayments1790000001450 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What moved after a day is asked by reports as of that day.
    await runner.query('create index payment_allocations_effective_on on payment_allocations (effective_on)');
    await runner.query(`
      alter table payment_allocations
      add constraint payment_allocations_invoice foreign key (invoice_id) references invoices`);
    await runner.query(`
      create constraint trigger invoices_paid_is_allocated after update on invoices
      deferrable initially deferred for each row when (old.paid_cents <> new.paid_cents)
      execute function assert_target('invoice_id')`);
    await runner.query(`
      create constraint trigger invoices_new_is_allocated after insert on invoices
      deferrable initially deferred for each row when (new.paid_cents <> 0)
      execute function assert_target('invoice_id')`);
    await runner.query(`
      create function assert_own_debt() returns trigger language plpgsql as $$
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
      end $$`);
    await runner.query(`
      create trigger payment_allocations_own_debt before insert on payment_allocations for each row
      when (num_nonnulls(new.schedule_id, new.invoice_id, new.supplier_invoice_id) > 0)
      execute function assert_own_debt()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger payment_allocations_own_debt on payment_allocations');
    await runner.query('drop function assert_own_debt');
    await runner.query('drop trigger invoices_paid_is_allocated on invoices');
    await runner.query('drop trigger invoices_new_is_allocated on invoices');
    await runner.query('drop index payment_allocations_effective_on');
    await runner.query('alter table payment_allocations drop constraint payment_allocations_invoice');
  }
}
