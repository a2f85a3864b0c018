import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, confirmedBooking } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { taxCodeAt } from '../../taxes/tax-codes.js';
import { issuedNote, useOwnSeries } from '../credit-notes/crediting.js';
import { draft, issue, travelToDayOfMonth, voiding } from '../invoices/invoicing.js';
import { schedulesOf, schedulesPath } from '../payment-plans/plans.js';
import { received } from '../payments/bookings.js';
import { PAYMENTS, recorded } from '../payments/payments.js';

const FINANCE = '/v1/admin/finance';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
  await useOwnSeries(owner);
});

type Money = Record<string, unknown> & Record<'documents' | 'installments' | 'payments', Record<string, unknown>[]>;

const today = () => app.day();

/** Omits members without history: versions, times of changes, and the origin of due dates. */
async function moneyOf(bookingId: string, asOf?: string): Promise<Money> {
  const query = asOf === undefined ? '' : `?asOf=${asOf}`;
  const { status, text, body } = await owner.get<{ data: Money }>(`${FINANCE}/bookings/${bookingId}/money${query}`);
  expect([status, text]).toEqual([200, text]);
  const { documents, installments, payments, asOf: _asOf, ...terms } = body.data;
  const plain = (rows: Record<string, unknown>[]) =>
    rows.map(({ version: _version, updatedAt: _updatedAt, dateSource: _dateSource, ...row }) => row);
  return { ...terms, documents: plain(documents), installments: plain(installments), payments: plain(payments) };
}

describe('the account of a booking as of a day', () => {
  it('each day is answered later as it was, through price changes, credit notes, refunds, reversals and a cancellation', async () => {
    travelToDayOfMonth(app, 3);
    const { id: taxCodeId } = await taxCodeAt(owner, 1_900);
    const { booking, item } = await confirmedBooking(owner, { item: { unitSellCents: 119_000, taxCodeId } });
    const { id } = booking;
    const itemPath = `${BOOKINGS}/${id}/items/${item.id}`;
    const days: { day: string; money: Money }[] = [];
    const endOfDay = async (): Promise<void> => {
      days.push({ day: today(), money: await moneyOf(id) });
      app.travel({ days: 2 });
    };
    const ok = async (answer: Promise<{ status: number; text: string }>) => {
      const { status, text } = await answer;
      expect([status < 300, text]).toEqual([true, text]);
    };
    const pay = async (cents: number) => recorded(owner, received(id, cents, { paidOn: today() }));

    await endOfDay();
    const invoice = await draft(owner, { bookingId: id });
    await ok(issue(owner, invoice.id));
    const first = await pay(100_000);
    await endOfDay();
    await ok(owner.patch(itemPath, { unitSellCents: 80_000 }));
    await endOfDay();
    await issuedNote(owner, invoice, { reason: 'booking_changed' });
    const { body: refund } = await owner.post<{ data: { id: string } }>(`${FINANCE}/bookings/${id}/refunds`, {
      amountCents: 5_000,
      method: 'bank_transfer',
      reason: 'Paid too much',
    });
    await endOfDay();
    await ok(owner.post(`${FINANCE}/refunds/${refund.data.id}/completion`, { paidOn: today() }));
    await addItem(owner, id, { unitSellCents: 50_000, taxCodeId });
    const second = await draft(owner, { bookingId: id });
    await ok(issue(owner, second.id));
    await endOfDay();
    const open = (await schedulesOf(owner, id)).filter(({ status }) => status === 'pending' || status === 'overdue');
    await ok(owner.patch(`${schedulesPath(id)}/${open[0]?.id ?? ''}?rebalance=none`, { dueDate: '2127-01-01' }));
    await ok(owner.post(`${PAYMENTS}/${first.id}/reversal`, { reason: 'No money', kind: 'bounced' }));
    await endOfDay();
    await ok(voiding(owner, second.id));
    await pay(30_000);
    await endOfDay();
    await ok(owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' }));
    await endOfDay();
    await ok(
      owner.post(`${FINANCE}/bookings/${id}/cancellation-settlement`, { agreedFeeCents: 10_000, feeReason: 'Agreed' }),
    );
    await endOfDay();

    expect(days.map(({ money }) => money['creditDueCents'])).toContain(39_000);
    for (const { day, money } of days) expect({ day, ...(await moneyOf(id, day)) }).toEqual({ day, ...money });
    expect(await moneyOf(id, '2020-01-01')).toMatchObject({ claimCents: 0, billedCents: 0, documents: [] });
  });

  it('a booking that does not exist is 404, and asOf must be a day', async () => {
    const path = `${FINANCE}/bookings/book_01k0dem000e000000000009999/money`;
    expect((await owner.get(`${path}?asOf=2026-01-01`)).status).toBe(404);
    expect((await owner.get(`${path}?asOf=yesterday`)).status).toBe(400);
  });
});
