import type { MigrationInterface, QueryRunner } from 'typeorm';

export class InvoiceIssuers1792000000120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: written once when the document gets its number, and read as a whole. Documents issued before have none.
    await runner.query(`
      create table invoice_issuers (
        invoice_id text primary key references invoices,
        issuer jsonb not null check (jsonb_typeof(issuer) = 'object')
      )`);
    await runner.query(`
      alter table invoice_renditions
        drop constraint invoice_renditions_language_check,
        add constraint invoice_renditions_language_check check (language in ('en', 'de', 'fr', 'es', 'it', 'ro'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from invoice_renditions where language = 'ro'`);
    await runner.query(`
      alter table invoice_renditions
        drop constraint invoice_renditions_language_check,
        add constraint invoice_renditions_language_check check (language in ('en', 'de', 'fr', 'es', 'it'))`);
    await runner.query('drop table invoice_issuers');
  }
}
