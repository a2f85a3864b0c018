import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exchange rates of the organization. */
export class ExchangeRates1796100000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The scale of a rate is the published one: 1.0870 stays 1.0870.
    await runner.query(`
      create table exchange_rates (
        id text primary key,
        from_currency text not null check (from_currency ~ '^[A-Z]{3}$'),
        to_currency text not null check (to_currency ~ '^[A-Z]{3}$'),
        day date not null,
        rate numeric not null check (rate > 0 and rate < 1e10 and scale(rate) <= 10),
        source text not null check (source in ('ecb', 'bank', 'manual')),
        created_at timestamptz not null,
        constraint exchange_rates_pair check (from_currency <> to_currency),
        constraint exchange_rates_once unique (from_currency, to_currency, day, source)
      )`);
    await runner.query(`
      create trigger exchange_rates_append_only before update or delete on exchange_rates
      for each row execute function refuse_change();
      create trigger exchange_rates_no_truncate before truncate on exchange_rates
      for each statement execute function refuse_change()`);
    await runner.query(`
      create function exchange_rates_assert_period() returns trigger language plpgsql as $$
      begin
        perform assert_period_open(new.day);
        return new;
      end $$;
      create trigger exchange_rates_period before insert on exchange_rates
      for each row execute function exchange_rates_assert_period()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table exchange_rates');
    await runner.query('drop function exchange_rates_assert_period');
  }
}
