import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * No document is issued over more than is owed: the total of the booking less what is waived. The fee of a cancelled
 * booking does not count. What is billed may exceed a claim that falls later; that is a credit due.
 */
export class InvoicesWithinClaim1792000000499 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function invoices_assert_claim() returns trigger language plpgsql as $$
      declare
        claim bigint;
        billed bigint;
      begin
        select coalesce(booking.total_cents, 0) - coalesce((
          select sum(installment.amount_cents)
          from payment_plans plan join payment_schedules installment on installment.plan_id = plan.id
          where plan.booking_id = booking.id and plan.is_current and installment.waived), 0)
        into claim from bookings booking where booking.id = new.booking_id;
        select sum(case document.type when 'invoice' then document.total_cents else -document.total_cents end)
        into billed from invoices document
        where document.booking_id = new.booking_id and document.number is not null and document.status <> 'void'
          and document.type in ('invoice', 'credit_note') and document.purpose is null;
        if billed > claim then
          raise exception 'The documents of booking % are over % of %', new.booking_id, billed, claim
            using errcode = '23514', constraint = 'invoices_exceed_claim';
        end if;
        return null;
      end $$;
      create constraint trigger invoices_exceed_claim after update on invoices
      deferrable initially deferred for each row
      when (new.type = 'invoice' and new.purpose is null and old.number is null and new.number is not null)
      execute function invoices_assert_claim();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger invoices_exceed_claim on invoices');
    await runner.query('drop function invoices_assert_claim');
  }
}
