/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, confirmedBooking, type Item } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { taxCodeAt } from '../../taxes/tax-codes.js';
import { issuedNote, useOwnSeries } from '../credit-notes/crediting.js';
import { draft, type Invoice, issue } from '../invoices/invoicing.js';
import { change, type Envelope, schedulesPath } from '../payment-plans/plans.js';

const PATH = '/v1/admin/finance/credit-due';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  await useOwnSeries(owner);
});

interface Due extends Record<string, unknown> {
  bookingId: string;
  groups: Record<string, unknown>[];
}

async function dueOf(bookingId: string): Promise<Due | null> {
  const { status, text, body } = await owner.get<{ data: Due[]; total: number }>(`${PATH}?bookingId=${bookingId}`);
  expect([status, text]).toEqual([200, text]);
  expect(body.total).toBe(body.data.length);
  return body.data[0] ?? null;
}

async function groupsOf(bookingId: string): Promise<unknown> {
  const path = `/v1/admin/finance/bookings/${bookingId}/money`;
  return (await owner.get<{ data: Record<string, unknown> }>(path)).body.data['creditDueByTaxCode'];
}

/** A confirmed booking with two tax codes, billed in full. */
async function billed(): Promise<{ id: string; first: Item; second: Item; invoice: Invoice; codes: string[] }> {
  const codes = [await taxCodeAt(owner, 1_900), await taxCodeAt(owner, 700)].sort((a, b) => (a.code < b.code ? -1 : 1));
  const [one, other] = codes.map(({ id }) => id);
  const { booking, item: first } = await confirmedBooking(owner, { item: { unitSellCents: 100_000, taxCodeId: one } });
  const second = await addItem(owner, booking.id, { unitSellCents: 60_001, taxCodeId: other });
  const made = await draft(owner, { bookingId: booking.id });
  const { body } = await issue(owner, made.id);
  return { id: booking.id, first, second, invoice: body.data, codes: [one ?? '', other ?? ''] };
}

/** Splits this amount off the plan and waives it. */
async function waivePart(bookingId: string, amountCents: number): Promise<void> {
  const terms = { label: 'Waived', dueDate: '2127-01-01', amountCents };
  const { body } = await owner.post<Envelope>(`${schedulesPath(bookingId)}?allowAfterDeparture=true`, terms);
  const waived = await change(owner, body.data, [{ status: 'cancelled' }, '?rebalance=none']);
  expect(waived.body.data).toMatchObject({ waived: true, amountCents });
}

/** Returns the number of bookings that block the closing of the current month. */
async function blocking(): Promise<number> {
  const month = app.day().slice(0, 7);
  const path = `/v1/admin/finance/periods/${month}`;
  const { body } = await owner.get<{ data: { blockers: { type: string; count: number }[] } }>(path);
  return body.data.blockers.find(({ type }) => type === 'credit_due')?.count ?? 0;
}

const priceOf = ({ id, bookingId }: Item, unitSellCents: number) =>
  owner.patch(`${BOOKINGS}/${bookingId}/items/${id}`, { unitSellCents });

describe('the bookings with a credit due', () => {
  it('a booking is listed per tax code while more is billed than is owed, and no longer once it is credited', async () => {
    const { id, first, invoice, codes } = await billed();
    expect(await dueOf(id)).toBeNull();
    await priceOf(first, 90_000);
    const due = await dueOf(id);
    expect(due).toMatchObject({
      bookingStatus: 'confirmed',
      customerName: 'Ada Lovelace',
      currency: 'EUR',
      creditDueCents: 10_000,
      groups: [{ taxCodeId: codes[0], grossCents: 10_000, wrongTax: false }],
      invoiceIds: [invoice.id],
    });
    expect(await groupsOf(id)).toEqual(due?.groups);
    await issuedNote(owner, invoice, { reason: 'booking_changed' });
    expect([await dueOf(id), await groupsOf(id)]).toEqual([null, []]);
  });

  it('a group that is billed too much is listed although the price of the booking is the same', async () => {
    const { id, first, second, codes } = await billed();
    await priceOf(first, 90_000);
    await priceOf(second, 70_001);
    expect(await dueOf(id)).toMatchObject({ creditDueCents: 10_000, groups: [{ taxCodeId: codes[0] }] });
  });

  it('such a booking blocks the closing of its month until the group is credited', async () => {
    const { id, first, second, invoice } = await billed();
    const before = await blocking();
    await priceOf(first, 90_000);
    await priceOf(second, 70_001);
    expect(await dueOf(id)).not.toBeNull();
    expect(await blocking()).toBe(before + 1);
    await issuedNote(owner, invoice, { reason: 'booking_changed' });
    expect(await blocking()).toBe(before);
  });

  it('what is waived is split over the groups as in the account of the booking', async () => {
    const { id } = await billed();
    await waivePart(id, 33_333);
    const due = await dueOf(id);
    expect(due?.groups).toHaveLength(2);
    expect(due).toMatchObject({ creditDueCents: 33_333 });
    expect(await groupsOf(id)).toEqual(due?.groups);
  });

  it('a cancelled booking is listed until its cancellation is settled, also if an installment was waived before', async () => {
    const { id } = await billed();
    await waivePart(id, 1);
    expect((await owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    const due = await dueOf(id);
    expect(due).toMatchObject({ bookingStatus: 'cancelled', creditDueCents: 160_001 });
    expect(await groupsOf(id)).toEqual(due?.groups);
    const { body: page } = await owner.get<{ data: Due[] }>(`${PATH}?limit=200&bookingStatus=confirmed`);
    expect(page.data.some(({ bookingId }) => bookingId === id)).toBe(false);
    const settled = await owner.post(`/v1/admin/finance/bookings/${id}/cancellation-settlement`, {
      agreedFeeCents: 0,
      feeReason: 'Agreed by phone',
    });
    expect([settled.status, settled.text]).toEqual([200, settled.text]);
    expect(await dueOf(id)).toBeNull();
  });
});
