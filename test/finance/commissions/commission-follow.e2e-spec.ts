import { beforeAll, describe, expect, it } from '@jest/globals';
import { CommissionJobs } from '../../../src/modules/finance/commissions/commissions.jobs.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { BOOKINGS, entriesAbout, type Item } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import {
  billedItem,
  change,
  type Commission,
  departedItem,
  earn,
  fixed,
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
const confirm = ({ bookingId }: Item) => owner.post(`${BOOKINGS}/${bookingId}/confirmation`);
const patchItem = ({ bookingId, id }: Item, body: object) => owner.patch(`${BOOKINGS}/${bookingId}/items/${id}`, body);
const payOut = (line: Commission) => owner.post(`${change(line)}/payout`, { paidOn: '2026-01-31' });

async function pay(bookingId: string, amountCents: number): Promise<string> {
  const body = { bookingId, method: 'card', currency: 'EUR', amountCents, paidOn: '2026-01-15' };
  const answer = await owner.post<{ data: { id: string } }>('/v1/admin/finance/payments', body);
  expect(answer.status).toBe(201);
  return answer.body.data.id;
}

describe('the confirmation of a booking', () => {
  it('confirming a booking accrues pending commissions and leaves void ones', async () => {
    const item = await soldItem(owner);
    const [line, voided] = [await earn(owner, item.id), await earn(owner, item.id, fixed(1))];
    await owner.post(`${change(voided)}/voiding`, { reason: 'Wrong' });
    await confirm(item);
    expect([await statusOf(line), await statusOf(voided)]).toEqual(['accrued', 'void']);
    expect((await entriesAbout(owner, line.id)).at(-1)).toMatchObject({
      action: 'finance.commission.accrue',
      before: { status: 'pending', version: 1 },
      after: { status: 'accrued', version: 2 },
    });
  });

  it('confirming a booking makes commissions payable that wait for a departure in the past', async () => {
    const item = await soldItem(owner, { serviceDate: '2026-01-01' });
    const line = await earn(owner, item.id, terms({ payableTrigger: 'departed' }));
    await confirm(item);
    expect(await statusOf(line)).toBe('payable');
  });
});

describe('a line on a confirmed booking', () => {
  it('a commission of a confirmed booking starts as accrued', async () => {
    const item = await departedItem(owner);
    expect((await earn(owner, item.id)).status).toBe('accrued');
  });
});

describe('payments', () => {
  it('the last payment makes commissions payable, and its reversal makes them accrued again', async () => {
    const { bookingId, itemId } = await billedItem(app, [30_000, 70_000]);
    const line = await earn(owner, itemId);
    await pay(bookingId, 30_000);
    expect(await statusOf(line)).toBe('accrued');
    const last = await pay(bookingId, 70_000);
    expect(await readLine(owner, line)).toMatchObject({ status: 'payable', payableAt: expect.stringMatching(/Z$/) });

    await owner.post(`/v1/admin/finance/payments/${last}/reversal`, { reason: 'Bounced' });
    expect(await readLine(owner, line)).toMatchObject({ status: 'accrued', payableAt: null });
    expect((await payOut(line)).status).toBe(409);
    await pay(bookingId, 70_000);
    expect(await statusOf(line)).toBe('payable');
    const expected = ['created', 'payable', 'withdrawn', 'payable'].map((event) => `commission.${event}`);
    expect(await eventNamesOf(app, line.id, 4)).toEqual(expected);
  });

  it('the reversal of a payment does not change a commission that was paid out', async () => {
    const { bookingId, itemId } = await billedItem(app, [10_000]);
    const line = await earn(owner, itemId);
    const payment = await pay(bookingId, 10_000);
    await payOut(line);
    const { status } = await owner.post(`/v1/admin/finance/payments/${payment}/reversal`, { reason: 'Bounced' });
    expect([status, await statusOf(line)]).toEqual([200, 'paid']);
  });

  it('a new commission of a paid booking is payable at once', async () => {
    const { bookingId, itemId } = await billedItem(app, [10_000]);
    await pay(bookingId, 10_000);
    expect((await earn(owner, itemId)).status).toBe('payable');
    expect((await earn(owner, itemId, terms({ payableTrigger: 'both' }))).status).toBe('accrued');
  });

  it('concurrent reversals and payouts never pay out a commission that was not payable', async () => {
    const { bookingId, itemId } = await billedItem(app, [10_000]);
    const line = await earn(owner, itemId);
    const payment = await pay(bookingId, 10_000);
    const reversal = `/v1/admin/finance/payments/${payment}/reversal`;
    const [paid] = await Promise.all([
      insisting(() => payOut(line)),
      insisting(() => owner.post(reversal, { reason: 'Bounced' })),
    ]);
    expect(await statusOf(line)).toBe(paid.status === 200 ? 'paid' : 'accrued');
  });
});

describe('the departure date', () => {
  const day = (days: number) => app.day(days);
  const settleDeparted = () => asSystem(() => app.nest.get(CommissionJobs).settleDeparted());

  it('a job makes commissions payable once, on the day after the departure', async () => {
    const item = await soldItem(owner, { serviceDate: day(1) });
    const [line, both] = [
      await earn(owner, item.id, terms({ payableTrigger: 'departed' })),
      await earn(owner, item.id, fixed(1, { payableTrigger: 'both' })),
    ];
    await confirm(item);
    await settleDeparted();
    app.travel({ days: 1 });
    await settleDeparted();
    expect(await statusOf(line)).toBe('accrued');
    app.travel({ days: 1 });
    await Promise.all([settleDeparted(), settleDeparted()]);
    expect([await statusOf(line), await statusOf(both)]).toEqual(['payable', 'accrued']);
    const entries = (await entriesAbout(owner, line.id)).filter(({ action }) => action.endsWith('.release'));
    expect(entries).toMatchObject([
      { actorType: 'system', before: { status: 'accrued' }, after: { status: 'payable' } },
    ]);
    app.travel({ days: -2 });
  });

  it('a departure that moves into the future makes payable commissions accrued again', async () => {
    const item = await departedItem(owner);
    const line = await earn(owner, item.id, terms({ payableTrigger: 'departed' }));
    expect(line.status).toBe('payable');
    await patchItem(item, { serviceDate: day(5) });
    expect(await statusOf(line)).toBe('accrued');
  });
});
