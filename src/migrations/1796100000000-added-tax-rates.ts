import type { MigrationInterface, QueryRunner } from 'typeorm';

/** total * rate / (10000 + rate), rounded half away from zero. */
const AT_RATE = (cents: string) => `sign(${cents}) * div(
  2 * abs(${cents})::numeric * tax_rate_basis_points + 10000 + tax_rate_basis_points, 2 * (10000 + tax_rate_basis_points))`;

/**
 * A tax rate that is added later: items keep the tax of what documents billed before, and take the new rate for the rest.
 * Items whose service day has another rate than they copied are marked, also those from before this migration.
 */
export class AddedTaxRates1796100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table booking_items
        add column earlier_rate_cents bigint not null default 0,
        add column earlier_rate_tax_cents bigint not null default 0`);
    // Older builds: they write rows without an earlier part, for which the rule is as before.
    await runner.query(`
      alter table booking_items
        drop constraint booking_items_coded_tax,
        add constraint booking_items_coded_tax check (
          tax_code_id is null or tax_included_cents = case
            when tax_kind = 'margin_scheme' then 0
            when earlier_rate_cents <> 0 and abs(total_sell_cents) < abs(earlier_rate_cents) then
              sign(earlier_rate_tax_cents) * div(
                2 * abs(earlier_rate_tax_cents)::numeric * abs(total_sell_cents) + abs(earlier_rate_cents),
                2 * abs(earlier_rate_cents))
            else earlier_rate_tax_cents + ${AT_RATE('(total_sell_cents - earlier_rate_cents)')} end
        ) not valid,
        add constraint booking_items_earlier_rate check (
          abs(earlier_rate_tax_cents) <= abs(earlier_rate_cents)
          and earlier_rate_tax_cents::numeric * earlier_rate_cents >= 0
          and (earlier_rate_cents = 0 or tax_code_id is not null and sign(total_sell_cents) in (0, sign(earlier_rate_cents)))
        ) not valid`);
    await runner.query(`
      create index booking_items_tax_code_day on booking_items (tax_code_id, service_date, created_at)
        where tax_code_id is not null and status <> 'cancelled' and not tax_rate_changed;
      create index booking_items_tax_rate_changed on booking_items (booking_id)
        where tax_rate_changed and status <> 'cancelled'`);
    await runner.query(`
      update booking_items item set tax_rate_changed = true, version = version + 1
      where tax_code_id is not null and status <> 'cancelled' and not tax_rate_changed and fee_of_item_id is null
        and not exists (
          select from tax_code_rates rate
          where rate.tax_code_id = item.tax_code_id and rate.rate_basis_points = item.tax_rate_basis_points
            and coalesce(item.service_date, (
              select min(history.effective_on) from booking_item_history history where history.item_id = item.id
            )) between rate.valid_from and coalesce(rate.valid_to, 'infinity'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index booking_items_tax_rate_changed, booking_items_tax_code_day');
    await runner.query(`
      alter table booking_items
        drop constraint booking_items_earlier_rate,
        drop constraint booking_items_coded_tax,
        drop column earlier_rate_cents,
        drop column earlier_rate_tax_cents`);
    await runner.query(`
      alter table booking_items add constraint booking_items_coded_tax check (
        tax_code_id is null or tax_included_cents = case tax_kind when 'margin_scheme' then 0
          else ${AT_RATE('total_sell_cents')} end) not valid`);
  }
}
