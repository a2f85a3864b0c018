import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Review sources. Keys and aliases are in one table of names, so that each name leads to one source. */
export class ReferenceData1790000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table review_sources (
        key text primary key check (key ~ '^[a-z0-9-]{1,63}$'),
        languages text[] not null check (cardinality(languages) between 1 and 1000 and array_position(languages, null) is null)
      )`);
    // No entity: the names of a source are replaced as a set.
    await runner.query(`
      create table review_source_names (
        name text primary key check (name ~ '^[a-z0-9-]{1,63}$'),
        source_key text not null references review_sources (key)
      );
      create index review_source_names_source_key on review_source_names (source_key);`);

    // The API promises this source to every deployment, with the most frequent languages of hotel reviews.
    await runner.query(`
      insert into review_sources (key, languages) values ('reviewsite', array[
        'ar', 'cs', 'da', 'de', 'el', 'en', 'es', 'fi', 'fr', 'he', 'hu', 'id', 'it', 'ja', 'ko', 'nl',
        'no', 'pl', 'pt', 'ro', 'ru', 'sk', 'sv', 'th', 'tr', 'uk', 'vi', 'zh'
      ])`);
    await runner.query(`insert into review_source_names (name, source_key) values ('reviewsite', 'reviewsite')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table review_source_names, review_sources');
  }
}
