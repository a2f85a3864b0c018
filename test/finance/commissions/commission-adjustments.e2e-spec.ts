import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, confirmedBooking, entriesAbout, type Item } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem } from '../invoices.js';
import {
  billedItem,
  cancelItem,
  change,
  type Commission,
  earn,
  fixed,
  linesOf,
  readLine,
  terms,
} from './commissions.js';

const FINANCE = '/v1/admin/finance';

interface Row extends Record<string, unknown> {
  id: string;
}
interface Page {
  data: Row[];
  total: number;
  totals: Row[];
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

/** A confirmed booking of one item that is paid in full: 2 x 500.00 with 159.66 of tax, or another item. */
async function paidItem(over: object = {}): Promise<{ item: Item; receiptId: string }> {
  const sold = { quantity: 2, unitSellCents: 50_000, taxIncludedCents: 15_966, serviceDate: '2027-01-01', ...over };
  const { item } = await confirmedBooking(owner, { item: sold });
  return { item, receiptId: await receive(item, item.totalSellCents) };
}

async function receive({ bookingId }: Pick<Item, 'bookingId'>, amountCents: number): Promise<string> {
  const body = { bookingId, method: 'bank_transfer', currency: 'EUR', amountCents, paidOn: '2026-01-31' };
  const { status, body: answer, text } = await owner.post<{ data: Row }>(`${FINANCE}/payments`, body);
  expect([status, text]).toEqual([201, text]);
  return answer.data.id;
}

async function payOut(line: Commission, over: object = {}): Promise<Commission> {
  const { status, text } = await owner.post(`${change(line)}/payout`, { paidOn: '2026-01-31', ...over });
  expect([status, text]).toEqual([200, text]);
  return readLine(owner, line);
}

async function earnAndPayOut(item: Pick<Item, 'id'>, body: object): Promise<Commission> {
  return payOut(await earn(owner, item.id, body));
}

async function patchItem({ bookingId, id }: Item, body: object): Promise<void> {
  const { status, text } = await owner.patch(`${BOOKINGS}/${bookingId}/items/${id}`, body);
  expect([status, text]).toEqual([200, text]);
}

/** The lines that adjust commissions of the item, without void ones, the oldest first. */
async function adjustments({ id }: Pick<Item, 'id'>): Promise<Commission[]> {
  const lines = await linesOf(owner, id);
  return lines.filter(({ adjustsId, status }) => adjustsId !== null && status !== 'void').reverse();
}

async function payouts(line: Commission): Promise<Row[]> {
  return (await owner.get<Page>(`${FINANCE}/payments?commissionId=${line.id}&sort=createdAt`)).body.data;
}

const bounce = (paymentId: string) =>
  owner.post(`${FINANCE}/payments/${paymentId}/reversal`, { reason: 'No funds', kind: 'bounced' });

describe('a commission that was paid out', () => {
  it('is adjusted by one line over the difference when the sale shrinks, however often it does', async () => {
    const { item } = await paidItem();
    const paid = await earnAndPayOut(item, terms({ rateBasisPoints: 1500 }));
    expect(paid.amountCents).toBe(12_605);

    await patchItem(item, { quantity: 1 });
    const [first, ...others] = await adjustments(item);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      adjustsId: paid.id,
      adjustReason: 'item_changed',
      amountCents: 6_303 - 12_605,
      status: 'payable',
    });
    await patchItem(item, { unitSellCents: 100, taxIncludedCents: 0 });
    expect(await adjustments(item)).toMatchObject([{ id: first?.id, amountCents: 15 - 12_605 }]);
    await patchItem(item, { quantity: 2, unitSellCents: 50_000, taxIncludedCents: 15_966 });
    expect(await adjustments(item)).toEqual([]);
    const actions = (await entriesAbout(owner, first?.id ?? '')).map(({ action }) => action);
    expect(actions).toEqual(['finance.commission.adjust', 'finance.commission.adjust', 'finance.commission.void']);
  });

  it('a fixed commission that was paid out never rejects a lower price, which limits it', async () => {
    const { item } = await paidItem();
    await earnAndPayOut(item, fixed(60_000));
    await earn(owner, item.id, fixed(1_000));
    await patchItem(item, { quantity: 1 });
    expect(await adjustments(item)).toMatchObject([{ amountCents: 49_000 - 60_000 }]);
    const open = { unitSellCents: 900, taxIncludedCents: 0 };
    const { status, body } = await owner.patch(`${BOOKINGS}/${item.bookingId}/items/${item.id}`, open);
    const details = { field: 'amountCents', totalSellCents: 900, commissionCents: 1_000 };
    expect([status, body]).toEqual([422, problem('commission_exceeds_base', details)]);
  });

  it('an adjusting line that was paid back counts as settled, and the next one takes the rest', async () => {
    const { item } = await paidItem({ unitSellCents: 10_000, quantity: 10, taxIncludedCents: 0 });
    await earnAndPayOut(item, terms({ rateBasisPoints: 2000 }));
    await patchItem(item, { quantity: 5 });
    const [first] = await adjustments(item);
    expect(first).toMatchObject({ amountCents: -10_000 });
    if (first) await payOut(first, { method: 'cash' });
    expect(first && (await payouts(first))).toMatchObject([
      { direction: 'in', kind: 'commission_payout', amountCents: 10_000, method: 'cash', unappliedCents: 0 },
    ]);
    await patchItem(item, { quantity: 1 });
    expect(await adjustments(item)).toMatchObject([{ status: 'paid' }, { amountCents: -8_000, status: 'payable' }]);
    await cancelItem(owner, item);
    const lines = await adjustments(item);
    expect(lines).toMatchObject([{}, { amountCents: -10_000, adjustReason: 'item_cancelled' }]);
  });

  it('waived money earns no commission, paid out or not', async () => {
    const { bookingId, itemId: id, schedules } = await billedItem(app, [30_000, 70_000]);
    const item = { id, bookingId };
    const receiptId = await receive(item, 100_000);
    await earnAndPayOut(item, terms());
    const open = await earn(owner, id, terms({ payableTrigger: 'departed' }));
    await bounce(receiptId);
    await receive(item, 30_000);
    const path = `${FINANCE}/bookings/${bookingId}/payment-schedules/${schedules[1] ?? ''}`;
    const waiving = await owner.patch(path, { status: 'cancelled', waiveReason: 'Goodwill' });
    expect([waiving.status, waiving.text]).toEqual([200, waiving.text]);
    expect(await readLine(owner, open)).toMatchObject({ amountCents: 3_000, baseCents: 30_000 });
    expect(await adjustments(item)).toMatchObject([{ amountCents: 3_000 - 10_000, adjustReason: 'waived' }]);
  });

  it('a receipt that bounces takes the commission back until it is paid again', async () => {
    const { item, receiptId } = await paidItem();
    await earnAndPayOut(item, fixed(10_000));
    const departed = { ...fixed(500), payableTrigger: 'departed' };
    await earn(owner, item.id, departed);
    expect((await bounce(receiptId)).status).toBe(200);
    const [lost, ...others] = await adjustments(item);
    expect(others).toEqual([]);
    expect(lost).toMatchObject({ amountCents: -10_000, adjustReason: 'payment_reversed', status: 'payable' });
    const again = await receive(item, item.totalSellCents);
    expect(await adjustments(item)).toEqual([]);

    await bounce(again);
    const [second] = await adjustments(item);
    if (second) await payOut(second);
    await receive(item, item.totalSellCents);
    expect(await adjustments(item)).toMatchObject([
      { status: 'paid' },
      { amountCents: 10_000, adjustReason: 'payment_restored', status: 'payable' },
    ]);
  });

  it('a commission that grows with an unpaid extra waits for the payment, and the payout is not taken back', async () => {
    const { item } = await paidItem();
    await earnAndPayOut(item, terms({ basis: 'gross_sell' }));
    await patchItem(item, { quantity: 3, taxIncludedCents: 15_966 });
    expect(await adjustments(item)).toMatchObject([{ amountCents: 5_000, status: 'accrued' }]);
    await addItem(owner, item.bookingId, { unitSellCents: 100 });
    expect(await adjustments(item)).toMatchObject([{ amountCents: 5_000, status: 'accrued' }]);
    await receive(item, 50_100);
    expect(await adjustments(item)).toMatchObject([{ amountCents: 5_000, status: 'payable' }]);
  });
});

describe('the payout of a commission', () => {
  it('is a payment in the payment journal, which names the recipient', async () => {
    const { item } = await paidItem();
    const line = await earnAndPayOut(item, fixed(700, { recipientName: 'Agency of the journal' }));
    const [payment] = await payouts(line);
    expect(payment).toMatchObject({
      direction: 'out',
      kind: 'commission_payout',
      bookingId: null,
      supplierInvoiceId: null,
      commissionId: line.id,
      method: 'bank_transfer',
      amountCents: 700,
      paidOn: '2026-01-31',
      status: 'completed',
    });
    const journal = await owner.get<Page>(`${FINANCE}/reports/payment-journal?from=2026-01-31&to=2026-01-31&limit=100`);
    expect(journal.body.data.find(({ paymentId }) => paymentId === payment?.id)).toMatchObject({
      kind: 'commission_payout',
      party: 'Agency of the journal',
      commissionId: line.id,
      amountCents: -700,
    });
  });

  it('can be reversed, after which the commission is payable over what it earns now, and paid out again', async () => {
    const { item } = await paidItem();
    const line = await earnAndPayOut(item, terms({ basis: 'gross_sell' }));
    await patchItem(item, { quantity: 1 });
    const [payment] = await payouts(line);
    expect((await bounce(payment?.id ?? '')).status).toBe(200);
    expect(await readLine(owner, line)).toMatchObject({ status: 'payable', amountCents: 5_000, paidOn: null });
    expect(await adjustments(item)).toEqual([]);
    await payOut(line);
    expect(await payouts(line)).toMatchObject([
      { status: 'reversed', amountCents: 10_000 },
      { status: 'completed', amountCents: 5_000 },
    ]);
  });

  it('its ledger entry can be reversed, once', async () => {
    const { item } = await paidItem();
    const line = await earnAndPayOut(item, fixed(700));
    const entry = (await entriesAbout(owner, line.id)).find(({ action }) => action === 'finance.commission.pay');
    const path = `/v1/admin/action-ledger/entries/${entry?.id ?? ''}/reversals`;
    const reverse = () => owner.post(path, { reason: 'Paid to the wrong account' });
    const first = await reverse();
    expect([first.status, first.text]).toEqual([201, first.text]);
    expect(await readLine(owner, line)).toMatchObject({ status: 'payable' });
    expect(await payouts(line)).toMatchObject([{ status: 'reversed' }]);
    expect((await reverse()).status).toBe(409);
  });

  it('of an item that was cancelled meanwhile, a reversed payout leaves nothing to pay', async () => {
    const { item } = await paidItem();
    const line = await earnAndPayOut(item, fixed(700));
    await cancelItem(owner, item);
    const [payment] = await payouts(line);
    await bounce(payment?.id ?? '');
    expect(await readLine(owner, line)).toMatchObject({ status: 'void' });
    expect(await adjustments(item)).toEqual([]);
  });

  it('cannot be reversed before the payouts that adjust it', async () => {
    const { item } = await paidItem();
    const line = await earnAndPayOut(item, terms());
    await patchItem(item, { quantity: 1 });
    const [adjustment] = await adjustments(item);
    if (adjustment) await payOut(adjustment);
    const [payment] = await payouts(line);
    const { status, body } = await bounce(payment?.id ?? '');
    expect([status, body]).toEqual([409, problem('commission_adjusted', { commissionIds: [adjustment?.id] })]);
  });

  it('of a commission of 0 moves no money', async () => {
    const { item } = await paidItem();
    const line = await earnAndPayOut(item, fixed(0));
    expect(line.status).toBe('paid');
    expect(await payouts(line)).toEqual([]);
  });
});

describe('the commissions of a recipient', () => {
  it('are a list over all bookings and a row of the report', async () => {
    const recipient = { recipientId: 'REPORT-1', recipientName: 'Reported' };
    const [one, two] = [await paidItem(), await paidItem()];
    const paid = await earnAndPayOut(one.item, fixed(700, recipient));
    const payable = await earn(owner, two.item.id, fixed(300, recipient));
    const accrued = await earn(owner, two.item.id, fixed(20, { ...recipient, payableTrigger: 'departed' }));

    const list = async (query: string) => {
      const { body } = await owner.get<Page>(`${FINANCE}/commissions?recipientId=REPORT-1${query}`);
      return body.data.map(({ id }) => id).sort();
    };
    expect(await list('')).toEqual([paid.id, payable.id, accrued.id].sort());
    expect(await list('&status=payable')).toEqual([payable.id]);
    expect(await list('&recipientName=reported&from=2026-01-31&to=2026-01-31')).toEqual([paid.id]);
    expect(await list(`&bookingId=${two.item.bookingId}&recipientType=agent`)).toHaveLength(2);
    expect(await list('&channelId=chan_01k0dem000e000000000000009')).toEqual([]);

    const query = 'recipientId=REPORT-1&from=2026-01-01&to=2026-01-31';
    const report = await owner.get<Page>(`${FINANCE}/reports/commissions?${query}`);
    const sums = { count: 3, pendingCents: 0, accruedCents: 20, payableCents: 300, paidOutCents: 700 };
    expect(report.body.data).toEqual([
      { recipientType: 'agent', recipientId: 'REPORT-1', recipientName: 'Reported', currency: 'EUR', ...sums },
    ]);
    expect(report.body.totals).toEqual([{ currency: 'EUR', ...sums }]);
  });
});
