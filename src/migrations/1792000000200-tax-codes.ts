import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tax codes with their rates. */
export class TaxCodes1792000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The kind is part of a key, so that it cannot change while rates depend on it.
    await runner.query(`
      create table tax_codes (
        id text primary key,
        code text not null check (code ~ '^[A-Z0-9-]{1,20}$'),
        name text not null check (length(name) between 1 and 120),
        country text not null check (country ~ '^[A-Z]{2}$'),
        kind text not null check (kind in (
          'standard', 'reduced', 'zero', 'exempt', 'outside_scope', 'reverse_charge', 'margin_scheme'
        )),
        mention text check (length(mention) between 1 and 500),
        active boolean not null,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint tax_codes_country_code unique (country, code),
        constraint tax_codes_id_kind unique (id, kind),
        constraint tax_codes_mention check (
          mention is not null or kind not in ('exempt', 'reverse_charge', 'margin_scheme')
        )
      )`);

    // No entity: rates are read and written with their tax code, by the repository of the tax codes.
    await runner.query(`
      create table tax_code_rates (
        tax_code_id text not null,
        kind text not null,
        rate_basis_points integer not null check (rate_basis_points between 0 and 10000),
        valid_from date not null check (valid_from between '1900-01-01' and '2199-12-31'),
        valid_to date check (valid_to <= '2199-12-31'),
        primary key (tax_code_id, valid_from),
        constraint tax_code_rates_code foreign key (tax_code_id, kind) references tax_codes (id, kind)
          on update restrict on delete restrict,
        constraint tax_code_rates_dates check (valid_to >= valid_from),
        constraint tax_code_rates_untaxed check (
          rate_basis_points = 0 or kind in ('standard', 'reduced', 'margin_scheme')
        ),
        constraint tax_code_rates_no_overlap exclude using gist (
          tax_code_id with =, daterange(valid_from, valid_to, '[]') with &&
        )
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table tax_code_rates, tax_codes');
  }
}
