import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tax codes of booking items, with the rate of the service date, and items that are not refunded on cancellation. */
export class ItemTaxCodes1792000000210 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Existing items have their tax as an amount: no tax code.
    //
    // `booking_items_coded_tax`: total * rate / (10000 + rate), rounded half away from zero. `div` is exact; a quotient of
    // numerics is rounded before `round`. An item under the margin scheme shows no tax.
    await runner.query(`
      alter table booking_items
        add column tax_code_id text constraint booking_items_tax_code references tax_codes on delete restrict,
        add column tax_code text check (tax_code ~ '^[A-Z0-9-]{1,20}$'),
        add column tax_kind text check (tax_kind in (
          'standard', 'reduced', 'zero', 'exempt', 'outside_scope', 'reverse_charge', 'margin_scheme'
        )),
        add column tax_rate_basis_points integer check (tax_rate_basis_points between 0 and 10000),
        add column tax_rate_changed boolean not null default false,
        add column refundable boolean not null default true,
        add constraint booking_items_tax_copied check (
          num_nulls(tax_code_id, tax_code, tax_kind, tax_rate_basis_points) in (0, 4)
          and (tax_code_id is not null or not tax_rate_changed)
        ),
        add constraint booking_items_coded_tax check (
          tax_code_id is null or tax_included_cents = case tax_kind when 'margin_scheme' then 0 else
            sign(total_sell_cents) * div(
              2 * abs(total_sell_cents)::numeric * tax_rate_basis_points + 10000 + tax_rate_basis_points,
              2 * (10000 + tax_rate_basis_points)
            ) end
        );
      create index booking_items_tax_code_id on booking_items (tax_code_id) where tax_code_id is not null;`);
    await runner.query(`
      alter table departures
        add column tax_code_id text constraint departures_tax_code references tax_codes on delete restrict;
      create index departures_tax_code_id on departures (tax_code_id) where tax_code_id is not null;`);
    await runner.query(`
      alter table trip_components
        add column tax_code_id text constraint trip_components_tax_code references tax_codes on delete restrict;
      create index trip_components_tax_code_id on trip_components (tax_code_id) where tax_code_id is not null;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table trip_components drop column tax_code_id');
    await runner.query('alter table departures drop column tax_code_id');
    await runner.query(`
      alter table booking_items
        drop constraint booking_items_coded_tax,
        drop constraint booking_items_tax_copied,
        drop column refundable,
        drop column tax_rate_changed,
        drop column tax_rate_basis_points,
        drop column tax_kind,
        drop column tax_code,
        drop column tax_code_id`);
  }
}
