import type { MigrationInterface, QueryRunner } from 'typeorm';

const MAX_CENTS = '9007199254740991';

/** The terms of companies that book for others. */
export class AgencyTerms1796505000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table agency_terms (
        id text primary key references customers on delete restrict,
        channel_id text references channels on delete restrict,
        payment_policy jsonb check (jsonb_typeof(payment_policy) = 'object'),
        credit_limit_cents bigint check (credit_limit_cents between 0 and ${MAX_CENTS}),
        credit_currency text check (credit_currency ~ '^[A-Z]{3}$'),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint agency_terms_credit check ((credit_limit_cents is null) = (credit_currency is null))
      );
      create index agency_terms_channel_id on agency_terms (channel_id) where channel_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table agency_terms');
  }
}
