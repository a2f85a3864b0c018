import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The day on which a cancellation was declared, if it was recorded later; whether items need a tax code; and lines of
 * cancellation fees, which are outside the scope of the tax without having a tax code.
 */
export class ChargesAndFees1795807000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table bookings
        add column cancellation_declared_on date check (cancellation_declared_on between '1900-01-01' and '2199-12-31')`);
    // Processes of earlier builds reinstate bookings without knowing the column.
    await runner.query(`
      create function bookings_forget_declared_day() returns trigger language plpgsql as $$
      begin
        new.cancellation_declared_on := null;
        return new;
      end $$;
      create trigger bookings_declared_day before update on bookings for each row
      when (new.cancelled_at is null and new.cancellation_declared_on is not null)
      execute function bookings_forget_declared_day();`);
    // Few cancellations are declared on another day than they are recorded on.
    await runner.query(`
      update bookings set cancellation_declared_on = settlement.cancelled_on
      from cancellation_settlements settlement
      where settlement.booking_id = bookings.id and settlement.reinstated_at is null
        and bookings.cancelled_on > settlement.cancelled_on`);

    await runner.query('alter table finance_settings add column tax_codes_required boolean not null default false');

    // Older builds: the lines that they write satisfy the wider constraint too.
    await runner.query(`
      alter table invoice_lines
        drop constraint invoice_lines_tax_copied,
        add constraint invoice_lines_tax_copied check (
          num_nulls(tax_code_id, tax_code, tax_kind) in (0, 3)
          or num_nulls(tax_code_id, tax_code, tax_rate_basis_points) = 3 and tax_kind = 'outside_scope' and tax_cents = 0
        ) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table invoice_lines
        drop constraint invoice_lines_tax_copied,
        add constraint invoice_lines_tax_copied check (num_nulls(tax_code_id, tax_code, tax_kind) in (0, 3)) not valid`);
    await runner.query('alter table finance_settings drop column tax_codes_required');
    await runner.query('drop trigger bookings_declared_day on bookings');
    await runner.query('drop function bookings_forget_declared_day');
    await runner.query('alter table bookings drop column cancellation_declared_on');
  }
}
