import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../../src/platform/database/database.js';
import { PeriodsService } from '../../../src/modules/finance/books/periods/periods.service.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem, staffWith } from '../invoices.js';
import { makeSeries } from '../number-series/series.js';
import { bookingWith, received } from '../payments/bookings.js';
import { recorded } from '../payments/payments.js';
import { tamper } from '../reports/tampering.js';

const PERIODS = '/v1/admin/finance/periods';

interface Period {
  status: string;
  closable: boolean;
  blockers: { type: string; count: number }[];
  figures: { name: string; currency: string; cents: string }[];
  version: number;
}

let app: TestApp;
let owner: TestClient;
let first: string;

/** Returns the month N months after the month of the first posting. */
function month(offset: number): string {
  const [year = 0, number = 0] = first.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + offset, 1)).toISOString().slice(0, 7);
}

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
  app.travel({ days: 200 });
  const today = app.day(-150);
  const { id } = await bookingWith(app, { installments: [[today, 1_000]] });
  const payment = await recorded(owner, received(id, 400, { paidOn: today }));
  const [found] = await app.sql<{ month: string }>(
    `select to_char(least((select min(issue_date) from invoices where number is not null),
       (select min(posting_date) from payments), (select min(posting_date) from supplier_invoices),
       (select min(effective_on) from payment_allocations)), 'YYYY-MM') as month, $1::text as payment`,
    [payment.id],
  );
  first = found?.month ?? '';
});

beforeEach(async () => {
  await app.sql('delete from accounting_period_figures');
  await app.sql('delete from accounting_periods');
});

const close = (period: string) => owner.post<{ data: Period }>(`${PERIODS}/${period}/closing`);
const get = async (period: string) => (await owner.get<{ data: Period }>(`${PERIODS}/${period}`)).body.data;

describe('closing an accounting period', () => {
  it('months are closed in their order, from that of the first posting on, and once they are over', async () => {
    expect((await close(month(1))).body).toEqual(problem('period_out_of_order', { next: first }));
    const preview = await get(first);
    expect(preview).toMatchObject({ status: 'open', closable: true, blockers: [] });
    const closed = await close(first);
    expect([closed.status, closed.text]).toEqual([200, closed.text]);
    expect(closed.body.data).toMatchObject({ status: 'closed', closable: false, figures: preview.figures });
    expect((await get(month(1))).closable).toBe(true);
    expect((await close(first)).body).toEqual(
      problem('invalid_transition', { from: 'closed', to: 'closed', allowed: ['open', 'filed'] }),
    );
    const now = app.day().slice(0, 7);
    expect((await close(now)).body).toEqual(problem('period_out_of_order', { next: month(1) }));
  });

  it('only the latest closed month is reopened, and a filed one stays closed', async () => {
    await close(first);
    await close(month(1));
    const reason = { reason: 'A bill was missing' };
    const early = await owner.post(`${PERIODS}/${first}/reopening`, reason);
    expect([early.status, early.body]).toEqual([409, problem('period_out_of_order', { latest: month(1) })]);
    const reopened = await owner.post<{ data: Period }>(`${PERIODS}/${month(1)}/reopening`, reason);
    expect([reopened.status, reopened.body.data]).toMatchObject([
      200,
      { status: 'open', closable: true, blockers: [] },
    ]);
    const filed = await owner.post<{ data: Period }>(`${PERIODS}/${first}/filing`, { reference: 'VAT-1' });
    expect([filed.status, filed.body.data]).toMatchObject([200, { status: 'filed', filingReference: 'VAT-1' }]);
    const late = await owner.post(`${PERIODS}/${first}/reopening`, reason);
    expect(late.body).toMatchObject({ code: 'invalid_transition' });
    // Only the owner of the tables can remove a filed month.
    await app.sql('alter table accounting_periods disable trigger accounting_periods_filed_stay');
    await app.sql('delete from accounting_period_figures; delete from accounting_periods');
    await app.sql('alter table accounting_periods enable trigger accounting_periods_filed_stay');
  });

  it('violated accounting rules prevent the closing', async () => {
    const { id } = await bookingWith(app);
    await tamper(app, 'bookings', `update bookings set total_cents = 1 where id = '${id}'`);
    const { status, body } = await close(first);
    expect([status, body]).toMatchObject([
      409,
      { code: 'period_has_blockers', details: { blockers: [{ type: 'integrity' }] } },
    ]);
    await tamper(app, 'bookings', `update bookings set total_cents = 100000 where id = '${id}'`);
    expect((await get(first)).blockers).toEqual([]);
  });

  it('an open settlement prevents the closing if money was received or billed or a fee is due, and only then', async () => {
    const cancelled = async (paidCents: number): Promise<string> => {
      const { id } = await bookingWith(app);
      if (paidCents > 0) await recorded(owner, received(id, paidCents, { paidOn: app.day() }));
      const { status } = await owner.post(`/v1/admin/bookings/${id}/cancellation`, { reason: 'Ill' });
      expect(status).toBe(200);
      await tamper(
        app,
        'cancellation_settlements',
        `update cancellation_settlements set cancelled_on = '${first}-15' where booking_id = '${id}'`,
      );
      return id;
    };
    const agree = (id: string, fee: string) =>
      app.sql(`update cancellation_settlements set agreed_fee_cents = ${fee}, fee_reason = 'x' where booking_id = $1`, [
        id,
      ]);
    const without = await cancelled(0);
    expect((await get(first)).blockers).toEqual([]);
    await agree(without, '500');
    expect((await get(first)).blockers).toMatchObject([{ type: 'open_settlements', count: 1 }]);
    await agree(without, 'null');

    const paid = await cancelled(500);
    expect((await close(first)).body).toMatchObject({
      code: 'period_has_blockers',
      details: { blockers: [{ type: 'open_settlements', count: 1 }] },
    });
    const settled = await owner.post(`/v1/admin/finance/bookings/${paid}/cancellation-settlement`, {
      agreedFeeCents: 0,
      feeReason: 'Goodwill',
    });
    expect([settled.status, settled.text]).toEqual([200, settled.text]);
    expect((await get(first)).blockers).toEqual([]);
  });

  it('numbers of the month that are on no document and in no recorded gap prevent the closing', async () => {
    const { id } = await makeSeries(owner);
    await tamper(
      app,
      'invoice_number_counters',
      `insert into invoice_number_counters (series_id, period_key, next_number) values ('${id}', 'all', 3)`,
    );
    expect((await close(first)).body).toMatchObject({
      code: 'period_has_blockers',
      details: {
        blockers: [
          { type: 'integrity', examples: ['numbers_gapless'] },
          { type: 'number_gaps', count: 1, examples: [id] },
        ],
      },
    });
    await tamper(app, 'invoice_number_counters', `delete from invoice_number_counters where series_id = '${id}'`);
    expect((await get(first)).blockers).toEqual([]);
  });

  it('a posting that races the closing of its month lands before it, or is 409', async () => {
    const database = app.nest.get(Database);
    const periods = app.nest.get(PeriodsService);
    const day = `${first}-15`;
    let closing: Promise<unknown> = Promise.resolve();
    const order: string[] = [];
    await database.transaction(async () => {
      await periods.assertOpen(day);
      closing = close(first).then(({ status }) => order.push(`closed ${status}`));
      await new Promise((resolve) => setTimeout(resolve, 300));
      order.push('posted');
    });
    await closing;
    expect(order).toEqual(['posted', 'closed 200']);
    await expect(periods.assertOpen(day)).rejects.toMatchObject({ code: 'period_closed' });
    const { id } = await bookingWith(app, { installments: [[day, 500]] });
    const inserted = app.sql(
      `insert into payments (id, direction, kind, booking_id, method, currency, amount_cents, unapplied_cents, paid_on,
         posting_date, source, status, version, created_at, updated_at)
       values ('pay_x', 'in', 'receipt', $1, 'card', 'EUR', 5, 5, $2, $2, 'manual', 'completed', 1, now(), now())`,
      [id, day],
    );
    await expect(inserted).rejects.toMatchObject({ constraint: 'period_closed' });
  });

  it('closing needs finance:close, which no wildcard covers', async () => {
    const { status, body } = await (await staffWith(app, 'finance:*')).post(`${PERIODS}/${first}/closing`);
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:close' })]);
    expect((await owner.get(`${PERIODS}/2026-13`)).status).toBe(404);
  });
});
