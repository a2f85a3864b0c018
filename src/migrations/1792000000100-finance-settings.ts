import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table has one row from the start, so that it can be locked and has a version before the first change. */
export class FinanceSettings1792000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table finance_settings (
        id text primary key check (id = 'finance'),
        base_currency text not null check (base_currency ~ '^[A-Z]{3}$'),
        issue_date_back_days integer not null check (issue_date_back_days between 0 and 366),
        paid_on_back_days integer not null check (paid_on_back_days between 0 and 3660),
        cancellation_fee_tax text not null check (cancellation_fee_tax in ('outside_scope', 'as_supply')),
        refund_days integer not null check (refund_days between 0 and 365),
        tolerance_cents bigint not null check (tolerance_cents between 0 and 1000000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      insert into finance_settings values ('finance', 'EUR', 31, 400, 'outside_scope', 14, 0, 1, now(), now())`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table finance_settings');
  }
}
