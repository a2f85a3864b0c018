import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The texts by which records are found, by table. Expressions must be immutable. */
const SEARCH_TEXTS = {
  bookings: `number || ' ' || customer_name || ' ' || coalesce(customer_email, '')`,
  trip_envelopes: `coalesce(title, '') || ' ' || coalesce(traveler_party #>> '{billing,name}', '') || ' ' ||
    coalesce(traveler_party #>> '{billing,email}', '') || ' ' ||
    coalesce(jsonb_path_query_array(traveler_party, '$.travelers[*].name')::text, '')`,
  contracts: `title || ' ' || coalesce(contract_number, '') || ' ' || coalesce(recipient_name, '') || ' ' ||
    coalesce(recipient_email, '')`,
  users: `name || ' ' || email`,
};

/**
 * Searches that ignore case, accents, apostrophes, hyphens and the order of words. `unaccent` itself is only STABLE, because
 * its dictionary can be changed; `fold` names the dictionary and declares itself IMMUTABLE, so that it can be indexed.
 */
export class FoldedSearch1792000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create extension if not exists unaccent');
    const [found] = (await runner.query(
      `select quote_ident(nspname) as schema from pg_extension join pg_namespace n on n.oid = extnamespace
       where extname = 'unaccent'`,
    )) as { schema: string }[];
    const schema = found?.schema ?? 'public';
    await runner.query(`
      create function fold(value text) returns text
      language sql immutable strict parallel safe set search_path = pg_catalog as $$
        select regexp_replace(
          translate(
            lower(${schema}.unaccent('${schema}.unaccent'::regdictionary, normalize(value, NFKC))),
            '-\u2010\u2011''\`\u00b4\u2018\u2019\u02bc', '   '),
          '\\s+', ' ', 'g')
      $$`);
    // The longest word first: a GIN index is used for one pattern, and the others filter what it finds.
    await runner.query(`
      create function folded_patterns(query text) returns text[]
      language sql immutable strict parallel safe set search_path = pg_catalog, public as $$
        select array_agg('%' || regexp_replace(word, '([\\\\%_])', '\\\\\\1', 'g') || '%' order by length(word) desc, place)
        from (
          select word, place from regexp_split_to_table(fold(query), ' ') with ordinality as words (word, place)
          where word <> '' order by place limit 8
        ) as words
      $$`);
    for (const [table, text] of Object.entries(SEARCH_TEXTS)) {
      await runner.query(`alter table ${table} add column search_text text generated always as (fold(${text})) stored`);
      await runner.query(`drop index if exists ${table}_search`);
      await runner.query(`create index ${table}_search on ${table} using gin (search_text gin_trgm_ops)`);
    }
    // Without a column: a trigger compares all columns of an issued invoice, and in it generated columns are null.
    await runner.query('drop index invoices_search');
    await runner.query(`
      create index invoices_search on invoices using gin
        (fold(coalesce(number, '') || ' ' || payer_name) gin_trgm_ops)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop index invoices_search, bookings_search, trip_envelopes_search, contracts_search, users_search',
    );
    for (const table of Object.keys(SEARCH_TEXTS)) await runner.query(`alter table ${table} drop column search_text`);
    await runner.query('drop function folded_patterns, fold');
    await runner.query(
      'create index invoices_search on invoices using gin (payer_name gin_trgm_ops, number gin_trgm_ops)',
    );
    await runner.query(
      'create index bookings_search on bookings using gin (customer_name gin_trgm_ops, number gin_trgm_ops)',
    );
    await runner.query(`
      create index trip_envelopes_search on trip_envelopes
        using gin (title gin_trgm_ops, (traveler_party #>> '{billing,name}') gin_trgm_ops)`);
    await runner.query(`
      create index contracts_search on contracts using gin
        (title gin_trgm_ops, contract_number gin_trgm_ops, recipient_name gin_trgm_ops)`);
    await runner.query('drop extension unaccent');
  }
}
