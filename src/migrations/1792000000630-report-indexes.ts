import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes by which reports as of a past day find what changed since, and closed months that reject payments, reversals and
 * allocations.
 */
export class ReportIndexes1792000000630 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index payments_posting_date on payments (posting_date);
      create index payments_reversal_posting_date on payments (reversal_posting_date)
      where reversal_posting_date is not null;
      create index payments_unapplied on payments (booking_id) where unapplied_cents > 0 and status = 'completed';
      create index payments_uncovered on payments (booking_id)
      where kind in ('refund', 'transfer_out') and status = 'completed' and covered_cents < amount_cents;
      create index invoices_voided_date on invoices (voided_on) where voided_on is not null;
      create index supplier_invoices_voided_on on supplier_invoices (voided_on) where voided_on is not null;
      create index bookings_confirmed_on on bookings (confirmed_on) where confirmed_on is not null;`);

    // A refund is posted when it is completed.
    await runner.query(`
      create function payments_assert_period() returns trigger language plpgsql as $$
      begin
        if tg_argv[0] = 'reversal' then perform assert_period_open(new.reversal_posting_date);
        else perform assert_period_open(new.posting_date);
        end if;
        return new;
      end $$;
      create trigger payments_period before insert on payments for each row
      when (new.status = 'completed') execute function payments_assert_period('payment');
      create trigger payments_completion_period before update on payments for each row
      when (old.status <> 'completed' and new.status = 'completed') execute function payments_assert_period('payment');
      create trigger payments_reversal_period before update on payments for each row
      when (old.reversal_posting_date is null and new.reversal_posting_date is not null)
      execute function payments_assert_period('reversal');`);
    await runner.query(`
      create function payment_allocations_assert_period() returns trigger language plpgsql as $$
      begin
        perform assert_period_open(new.effective_on);
        return new;
      end $$;
      create trigger payment_allocations_period before insert on payment_allocations for each row
      execute function payment_allocations_assert_period();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger payment_allocations_period on payment_allocations');
    for (const name of ['period', 'completion_period', 'reversal_period']) {
      await runner.query(`drop trigger payments_${name} on payments`);
    }
    await runner.query('drop function payment_allocations_assert_period, payments_assert_period');
    await runner.query(`
      drop index payments_posting_date, payments_reversal_posting_date, payments_unapplied, payments_uncovered,
        invoices_voided_date, supplier_invoices_voided_on, bookings_confirmed_on`);
  }
}
