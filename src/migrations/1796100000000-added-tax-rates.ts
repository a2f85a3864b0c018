import type { MigrationInterface, QueryRunner } from 'typeorm';

/** total * rate / (10000 + rate), rounded half away from zero. */
const atRate = (cents: string, of = '') => `sign(${cents}) * div(
  2 * abs(${cents})::numeric * ${of}tax_rate_basis_points + 10000 + ${of}tax_rate_basis_points,
  2 * (10000 + ${of}tax_rate_basis_points))`;

/** The tax of an item with a tax code; `of` is the prefix of its columns. */
const codedTax = (of = '') => `case
  when ${of}tax_kind = 'margin_scheme' then 0
  when ${of}earlier_rate_cents <> 0 and abs(${of}total_sell_cents) < abs(${of}earlier_rate_cents) then
    sign(${of}earlier_rate_tax_cents) * div(
      2 * abs(${of}earlier_rate_tax_cents)::numeric * abs(${of}total_sell_cents) + abs(${of}earlier_rate_cents),
      2 * abs(${of}earlier_rate_cents))
  else ${of}earlier_rate_tax_cents + ${atRate(`(${of}total_sell_cents - ${of}earlier_rate_cents)`, of)} end`;

/**
 * A tax rate that is added later: items keep the tax of what documents billed before, and take the new rate for the rest.
 * Jobs mark the items from before this migration whose service day has another rate than they copied: the migration would
 * lock all items until it has changed the last one. The next migration builds the indexes and validates the constraints.
 */
export class AddedTaxRates1796100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: the rows that they insert have no earlier part, for which the rule of the tax is as before.
    await runner.query(`
      alter table booking_items
        add column earlier_rate_cents bigint not null default 0,
        add column earlier_rate_tax_cents bigint not null default 0,
        drop constraint booking_items_coded_tax,
        add constraint booking_items_coded_tax check (
          tax_code_id is null or tax_included_cents = ${codedTax()}
        ) not valid,
        add constraint booking_items_earlier_rate check (
          abs(earlier_rate_tax_cents) <= abs(earlier_rate_cents)
          and earlier_rate_tax_cents::numeric * earlier_rate_cents >= 0
          and (earlier_rate_cents = 0 or tax_code_id is not null and sign(total_sell_cents) in (0, sign(earlier_rate_cents)))
        ) not valid`);
    // Older builds: they change the price or the tax code of an item with an earlier part without knowing that part, and
    // compute the tax of the whole price at one rate. Without the trigger, the constraints would reject the change.
    await runner.query(`
      create function booking_items_keep_earlier_rate() returns trigger language plpgsql as $$
      begin
        if new.tax_code_id is distinct from old.tax_code_id
          or sign(new.total_sell_cents) = -sign(new.earlier_rate_cents)
        then
          new.earlier_rate_cents := 0;
          new.earlier_rate_tax_cents := 0;
        elsif new.tax_included_cents = ${atRate('new.total_sell_cents', 'new.')} then
          new.tax_included_cents := ${codedTax('new.')};
        end if;
        return new;
      end $$;
      create trigger booking_items_earlier_rate before update on booking_items for each row
      when (old.earlier_rate_cents <> 0 and new.earlier_rate_cents = old.earlier_rate_cents
        and new.earlier_rate_tax_cents = old.earlier_rate_tax_cents)
      execute function booking_items_keep_earlier_rate();`);
    // Only processes of this build or a later one know the job. An installation without tax codes may have no queue yet.
    await runner.query(`
      do $$
      declare
        code text;
      begin
        for code in select id from tax_codes order by id loop
          perform graphile_worker.add_job('bookings.mark-tax-rates',
            json_build_object('taxCodeId', code, 'validFrom', '1900-01-01'));
        end loop;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger booking_items_earlier_rate on booking_items');
    await runner.query('drop function booking_items_keep_earlier_rate');
    await runner.query(`
      alter table booking_items
        drop constraint booking_items_earlier_rate,
        drop constraint booking_items_coded_tax,
        drop column earlier_rate_cents,
        drop column earlier_rate_tax_cents,
        add constraint booking_items_coded_tax check (
          tax_code_id is null or tax_included_cents = case tax_kind when 'margin_scheme' then 0
            else ${atRate('total_sell_cents')} end
        ) not valid`);
  }
}
