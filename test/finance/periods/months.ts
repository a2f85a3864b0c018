import type { TestApp } from '../../setup/app.js';

/** Closes these months without checking their contents. */
export async function closeMonths(app: TestApp, ...months: string[]): Promise<void> {
  for (const month of months) {
    await app.sql(
      `insert into accounting_periods (period, status, closed_at, closed_by, version, created_at, updated_at)
       values ($1, 'closed', now(), 'test', 1, now(), now())
       on conflict (period) do update set status = 'closed', closed_at = now(), closed_by = 'test'`,
      [month],
    );
  }
}
