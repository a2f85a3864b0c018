import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The texts by which records are found, by table. */
const SEARCH_TEXTS = {
  bookings: `number || ' ' || customer_name || ' ' || coalesce(customer_email, '')`,
  trip_envelopes: `coalesce(title, '') || ' ' || coalesce(traveler_party #>> '{billing,name}', '') || ' ' ||
    coalesce(traveler_party #>> '{billing,email}', '') || ' ' ||
    coalesce(jsonb_path_query_array(traveler_party, '$.travelers[*].name')::text, '')`,
  contracts: `title || ' ' || coalesce(contract_number, '') || ' ' || coalesce(recipient_name, '') || ' ' ||
    coalesce(recipient_email, '')`,
  users: `name || ' ' || email`,
};
const INVOICE_TEXT = `coalesce(number, '') || ' ' || payer_name`;
/** Characters that are typed as apostrophes. */
const APOSTROPHES = `''\`\u00b4\u2018\u2019\u02bc`;

/**
 * Invoices store their search text like the other records: folded again for each search, 100,000 invoices took up to five
 * seconds. A trigger sets it, because a generated column has no value yet when another trigger compares all columns of an
 * issued invoice. An acute accent that is typed as an apostrophe is removed before NFKC makes a blank and an accent of it.
 */
export class SearchTexts1793000000800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await foldWith(runner, `translate(value, '${APOSTROPHES}', '')`);
    await runner.query(`
      create function invoices_set_search_text() returns trigger language plpgsql set search_path = public, pg_temp as $$
      begin
        new.search_text := fold(coalesce(new.number, '') || ' ' || new.payer_name);
        return new;
      end $$;
      drop index invoices_search;
      alter table invoices add search_text text not null default '';
      alter table invoices disable trigger user;
      update invoices set search_text = fold(${INVOICE_TEXT});
      alter table invoices enable trigger user;
      alter table invoices alter search_text drop default;
      create trigger invoices_search_text before insert or update of number, payer_name on invoices
        for each row execute function invoices_set_search_text();
      create index invoices_search on invoices using gin (search_text gin_trgm_ops)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger invoices_search_text on invoices;
      drop function invoices_set_search_text;
      drop index invoices_search;
      alter table invoices drop search_text`);
    await foldWith(runner, 'value');
    await runner.query(`create index invoices_search on invoices using gin (fold(${INVOICE_TEXT}) gin_trgm_ops)`);
  }
}

/** Defines `fold` for the value as this expression states it, and computes the stored texts again. */
async function foldWith(runner: QueryRunner, value: string): Promise<void> {
  const [found] = (await runner.query(
    `select quote_ident(nspname) as schema from pg_extension join pg_namespace n on n.oid = extnamespace
     where extname = 'unaccent'`,
  )) as { schema: string }[];
  const schema = found?.schema ?? 'public';
  await runner.query(`
    create or replace function fold(value text) returns text
    language sql immutable strict parallel safe set search_path = pg_catalog as $$
      select regexp_replace(
        translate(
          lower(${schema}.unaccent('${schema}.unaccent'::regdictionary, normalize(${value}, NFKC))),
          '-\u2010\u2011${APOSTROPHES}', '   '),
        '\\s+', ' ', 'g')
    $$`);
  for (const [table, text] of Object.entries(SEARCH_TEXTS)) {
    await runner.query(`
      alter table ${table} drop column search_text;
      alter table ${table} add column search_text text generated always as (fold(${text})) stored;
      create index ${table}_search on ${table} using gin (search_text gin_trgm_ops)`);
  }
}
