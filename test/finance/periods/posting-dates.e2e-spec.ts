import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PeriodsService } from '../../../src/modules/finance/books/periods/periods.service.js';
import { Database } from '../../../src/platform/database/database.js';
import { closeMonths } from './months.js';
import { startApp, type TestApp } from '../../setup/app.js';

let app: TestApp;
let periods: PeriodsService;
let database: Database;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  periods = app.nest.get(PeriodsService);
  database = app.nest.get(Database);
});

beforeEach(async () => {
  await app.sql('delete from accounting_periods');
});

const CLOSED = `update accounting_periods set status = 'closed', closed_at = now(), closed_by = 'test' where period = '2026-02'`;

describe('the posting date', () => {
  it('a day of an open month is posted on that day', async () => {
    expect(await periods.postingDateOf('2026-03-31')).toBe('2026-03-31');
    await expect(periods.assertOpen('2026-03-31')).resolves.toBeUndefined();
  });

  it('a day of a closed month, or of one before it, is posted on the first day after the last closed month', async () => {
    await closeMonths(app, '2025-11', '2025-12');
    const days = ['2019-05-05', '2025-11-30', '2025-12-31', '2026-01-01'];
    expect(await Promise.all(days.map((day) => periods.postingDateOf(day)))).toEqual([
      '2026-01-01',
      '2026-01-01',
      '2026-01-01',
      '2026-01-01',
    ]);
    const details = { period: '2025-12', firstOpenDay: '2026-01-01' };
    await expect(periods.assertOpen('2025-12-31')).rejects.toMatchObject({
      status: 409,
      code: 'period_closed',
      details,
    });
    await expect(periods.assertOpen('2026-01-01')).resolves.toBeUndefined();
  });

  it('a month that is posted to is locked until the transaction ends, also if it has no row yet', async () => {
    for (const known of [false, true]) {
      const order: string[] = [];
      let closing: Promise<unknown> = Promise.resolve();
      await database.transaction(async () => {
        await periods.assertOpen('2026-02-10');
        closing = app
          .sql(`begin; lock table accounting_periods in share row exclusive mode; ${CLOSED}; commit`)
          .then(() => order.push('closed'));
        await new Promise((resolve) => setTimeout(resolve, 100));
        order.push('posted');
      });
      await closing;
      expect([known, order]).toEqual([known, ['posted', 'closed']]);
      expect(await periods.postingDateOf('2026-02-10')).toBe('2026-03-01');
      await app.sql(`update accounting_periods set status = 'open', closed_at = null, closed_by = null`);
    }
  });
});
