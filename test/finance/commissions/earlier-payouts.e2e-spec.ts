import { expect, it } from '@jest/globals';
import { createDataSource } from '../../../src/bootstrap/data-source.js';
import { CommissionAdjustments1795830000000 } from '../../../src/migrations/1795830000000-commission-adjustments.js';
import { addItem } from '../../bookings/bookings.js';
import { startApp } from '../../setup/app.js';
import { cancelItem, change, departedItem, earn, fixed, linesOf } from './commissions.js';

it('commissions that were paid out before payouts were payments get one, also lines that were paid back', async () => {
  const app = await startApp();
  const owner = app.as('owner');
  const item = await departedItem(owner);
  await addItem(owner, item.bookingId, { unitSellCents: 1_000 });
  const line = await earn(owner, item.id, fixed(700, { payableTrigger: 'departed' }));
  const free = await earn(owner, item.id, fixed(0, { payableTrigger: 'departed' }));
  const pay = (path: string) => owner.post(`${path}/payout`, { paidOn: '2026-01-31', reference: 'SEPA 17' });
  await pay(change(line));
  await pay(change(free));
  await cancelItem(owner, item);
  const back = (await linesOf(owner, item.id)).find(({ adjustsId }) => adjustsId === line.id);
  if (back) await pay(change(back));
  const payments = () =>
    app.sql(
      `select commission_id, direction, kind, amount_cents, unapplied_cents, currency, paid_on::text, posting_date::text,
         reference, status from payments where commission_id in ($1, $2, $3) order by direction`,
      [line.id, free.id, back?.id],
    );
  const recorded = await payments();
  expect(recorded).toMatchObject([
    { commission_id: back?.id, direction: 'in' },
    { commission_id: line.id, direction: 'out' },
  ]);

  const migration = new CommissionAdjustments1795830000000();
  const databaseUrl = process.env['MIGRATION_DATABASE_URL'] ?? '';
  const dataSource = await createDataSource({ databaseUrl, databasePoolSize: 1 }).initialize();
  const runner = dataSource.createQueryRunner();
  for (const direction of ['down', 'up'] as const) {
    await runner.startTransaction();
    await migration[direction](runner);
    await runner.commitTransaction();
  }
  await runner.release();
  await dataSource.destroy();
  expect(await payments()).toEqual(recorded);
});
