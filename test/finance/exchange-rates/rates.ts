import { newId } from '../../../src/platform/ids/id.js';
import type { TestApp } from '../../setup/app.js';

const RATES: Record<string, string> = { JPY: '0.0061', KWD: '2.98' };

/**
 * Inserts rates with which invoices in these currencies can be issued: one for every seventh day from 42 days ago until `days`
 * ahead. Closed months get none.
 */
export async function insertRates(app: TestApp, currencies: readonly string[], days = 70): Promise<void> {
  const offsets = Array.from({ length: Math.ceil((days + 43) / 7) }, (_, index) => index * 7 - 42);
  const rows = currencies.flatMap((currency) => offsets.map((offset) => ({ currency, day: app.day(offset) })));
  await app.sql(
    `insert into exchange_rates (id, from_currency, to_currency, day, rate, source, created_at)
     select id, currency, 'EUR', day, rate, 'bank', now()
     from unnest($1::text[], $2::text[], $3::date[], $4::numeric[]) rates (id, currency, day, rate)
     where posting_day(day) = day on conflict do nothing`,
    [
      rows.map(() => newId('xrat')),
      rows.map(({ currency }) => currency),
      rows.map(({ day }) => day),
      rows.map(({ currency }) => RATES[currency] ?? '0.4637'),
    ],
  );
}
