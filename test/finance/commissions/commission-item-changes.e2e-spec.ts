import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, entriesAbout, type Item, readItem } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem } from '../invoices.js';
import {
  cancelItem,
  change,
  type Commission,
  departedItem,
  earn,
  fixed,
  linesOf,
  readLine,
  soldItem,
  terms,
  eventNamesOf,
  insisting,
} from './commissions.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const statusOf = async (line: Commission) => (await readLine(owner, line)).status;
const patchItem = ({ bookingId, id }: Item, body: object) => owner.patch(`${BOOKINGS}/${bookingId}/items/${id}`, body);
const payOut = (line: Commission) => owner.post(`${change(line)}/payout`, { paidOn: '2026-01-31' });

describe('a change of the item', () => {
  it('a change of the item recomputes open commissions, adjusts paid ones by a line, and leaves void ones', async () => {
    const item = await departedItem(owner, { quantity: 2, unitSellCents: 60_000 });
    const at = { payableTrigger: 'departed' };
    const percentage = await earn(owner, item.id, terms(at));
    const perUnit = await earn(owner, item.id, fixed(500, { perUnit: true }));
    const [paid, voided] = [await earn(owner, item.id, terms(at)), await earn(owner, item.id, fixed(7))];
    await payOut(paid);
    await owner.post(`${change(voided)}/voiding`, { reason: 'Wrong' });
    app.travel({ ms: 5 });

    expect((await patchItem(item, { quantity: 3 })).status).toBe(200);
    expect(await readLine(owner, percentage)).toMatchObject({
      amountCents: 15_000,
      baseCents: 150_000,
      status: 'payable',
    });
    expect(await readLine(owner, perUnit)).toMatchObject({ amountCents: 1_500, status: 'accrued' });
    expect(await readLine(owner, paid)).toMatchObject({ amountCents: 10_000, status: 'paid' });
    expect(await readLine(owner, voided)).toMatchObject({ amountCents: 7, status: 'void' });
    const adjusting = (await linesOf(owner, item.id)).filter(({ adjustsId }) => adjustsId === paid.id);
    expect(adjusting).toMatchObject([{ amountCents: 5_000, status: 'payable', adjustReason: 'item_changed' }]);
    const entry = (await entriesAbout(owner, percentage.id)).at(-1);
    expect(entry).toMatchObject({ action: 'finance.commission.recompute', before: { amountCents: 10_000 } });
  });

  it('a change that changes no amount changes no commission', async () => {
    const item = await soldItem(owner);
    const line = await earn(owner, item.id);
    await patchItem(item, { title: 'Renamed' });
    expect(await readLine(owner, line)).toEqual(line);
  });

  it.each([
    [
      { unitSellCents: 20_000 },
      422,
      'commission_exceeds_base',
      { field: 'amountCents', totalSellCents: 20_000, commissionCents: 30_000 },
    ],
    [{ pricingTreatment: 'pass_through' }, 409, 'pass_through_item', undefined],
    [
      { costCents: null, costCurrency: null },
      422,
      'cost_unknown',
      { field: 'commissionModel', currency: 'EUR', costCurrency: null },
    ],
  ])(
    'a change of the item to %j that its commissions do not allow is rejected with %d %s and changes nothing',
    async (...[sent, status, code, details]) => {
      const item = await soldItem(owner);
      const line = await earn(owner, item.id, fixed(30_000));
      const margin = await earn(owner, item.id, terms({ basis: 'margin', rateBasisPoints: 0 }));
      const answer = await patchItem(item, { taxIncludedCents: 0, ...sent });
      expect([answer.status, answer.body]).toEqual([status, problem(code, details)]);
      expect(await readItem(owner, item)).toEqual(item);
      expect([await readLine(owner, line), await readLine(owner, margin)]).toEqual([line, margin]);
    },
  );

  it('concurrent price changes and new commissions never exceed the price of the item', async () => {
    const item = await soldItem(owner);
    const path = change({ bookingItemId: item.id } as Commission).replace(/\/[^/]*$/, '');
    await Promise.all([
      ...Array.from({ length: 6 }, () => insisting(() => owner.post(path, fixed(30_000)))),
      ...Array.from({ length: 6 }, (_, n) => insisting(() => patchItem(item, { unitSellCents: 120_000 - n * 10_000 }))),
    ]);
    const sum = (await linesOf(owner, item.id)).reduce((all, { amountCents }) => all + amountCents, 0);
    expect(sum).toBeLessThanOrEqual((await readItem(owner, item)).totalSellCents);
  });
});

describe('a cancellation', () => {
  it('cancelling an item voids its open commissions and adds a negative line for each paid one', async () => {
    const item = await departedItem(owner);
    const at = { payableTrigger: 'departed' };
    const [paid, payable, accrued] = [
      await earn(owner, item.id, terms(at)),
      await earn(owner, item.id, fixed(5, at)),
      await earn(owner, item.id, fixed(6)),
    ];
    await payOut(paid);
    app.travel({ ms: 2 });
    expect((await cancelItem(owner, item)).status).toBe(200);

    expect([await statusOf(payable), await statusOf(accrued)]).toEqual(['void', 'void']);
    const [reversal, ...others] = await linesOf(owner, item.id);
    expect(others).toHaveLength(3);
    expect(reversal).toMatchObject({
      adjustsId: paid.id,
      amountCents: -10_000,
      status: 'payable',
      recipientName: 'Alpine Resellers',
      payableAt: expect.stringMatching(/Z$/),
      paidOn: null,
      paidAt: null,
      version: 1,
    });
    const live = [reversal, ...others].filter((line) => line?.status !== 'void');
    expect(live.reduce((sum, line) => sum + (line?.amountCents ?? 0), 0)).toBe(0);
    const entry = (await entriesAbout(owner, reversal?.id ?? '')).at(-1);
    const expected = { reason: 'The item was cancelled', after: { adjustsId: paid.id } };
    expect(entry).toMatchObject({ action: 'finance.commission.adjust', before: null, ...expected });
    expect(await eventNamesOf(app, reversal?.id ?? '', 1)).toEqual(['commission.adjusted']);
    expect(await statusOf(paid)).toBe('paid');
  });

  it('cancelling a booking reverses the commissions of all items once, also if an item was cancelled before', async () => {
    const item = await departedItem(owner);
    const other = await addItem(owner, item.bookingId, { unitSellCents: 50_000, serviceDate: '2026-01-02' });
    const at = { payableTrigger: 'departed' };
    const lines = [await earn(owner, item.id, terms(at)), await earn(owner, other.id, terms(at))];
    for (const line of lines) await payOut(line);
    const open = await earn(owner, other.id, fixed(3));
    await cancelItem(owner, item);
    await owner.post(`${BOOKINGS}/${item.bookingId}/cancellation`, { reason: 'Fell ill' });
    for (const { id } of [item, other]) {
      const sum = (await linesOf(owner, id))
        .filter(({ status }) => status !== 'void')
        .reduce((all, { amountCents }) => all + amountCents, 0);
      expect(sum).toBe(0);
    }
    expect(await linesOf(owner, item.id)).toHaveLength(2);
    expect(await readLine(owner, open)).toMatchObject({ status: 'void', voidReason: 'Fell ill' });
  });

  it('a cancellation with concurrent payouts leaves a sum of 0', async () => {
    const item = await departedItem(owner);
    const at = { payableTrigger: 'departed' };
    const lines = [];
    for (let n = 1; n <= 6; n += 1) lines.push(await earn(owner, item.id, fixed(n * 100, at)));
    await Promise.all([
      ...lines.map((line) => insisting(() => payOut(line))),
      insisting(() => cancelItem(owner, item)),
    ]);
    const counted = (await linesOf(owner, item.id)).filter(({ status }) => status !== 'void');
    expect(counted.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(0);
  });
});
