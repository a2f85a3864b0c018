import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Organization1792000000110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The first start inserts the only row, with the values of the environment.
    await runner.query(`
      create table organization_profile (
        id text primary key check (id = 'organization'),
        legal_name text not null check (length(legal_name) between 1 and 500),
        trade_name text check (length(trade_name) between 1 and 255),
        address text check (length(address) between 1 and 500),
        country text check (country ~ '^[A-Z]{2}$'),
        email text check (length(email) <= 255),
        phone text check (length(phone) between 1 and 50),
        emergency_phone text check (length(emergency_phone) between 1 and 50),
        website text check (length(website) <= 2048),
        registration_number text check (length(registration_number) between 1 and 100),
        licence_number text check (length(licence_number) between 1 and 100),
        tax_id text check (length(tax_id) between 1 and 50),
        vat_id text check (length(vat_id) between 1 and 50),
        insolvency_protection text check (length(insolvency_protection) between 1 and 2000),
        bank_accounts jsonb not null check (jsonb_typeof(bank_accounts) = 'array'),
        footer_text jsonb not null check (jsonb_typeof(footer_text) = 'object'),
        default_language text not null check (default_language in ('en', 'de', 'fr', 'es', 'it', 'ro')),
        logo jsonb check (logo ->> 'sha256' ~ '^[0-9a-f]{64}$'),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`);
    await runner.query(`
      create table organization_settings (
        id text primary key check (id = 'organization'),
        unknown_step_minutes integer not null check (unknown_step_minutes between 1 and 1440),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      insert into organization_settings values ('organization', 15, 1, now(), now())`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table organization_settings, organization_profile');
  }
}
