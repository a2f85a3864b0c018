import { beforeAll, describe, expect, it } from '@jest/globals';
import { CommissionsService } from '../../../src/modules/finance/commissions/commissions.service.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { addItem, book, change, confirm, outline, pay, planned, planPath, schedulesOf, THIRDS } from './plans.js';

let app: TestApp;
let owner: TestClient;
let settled: string[] = [];
let failing: string | null = null;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  const commissions = app.nest.get(CommissionsService);
  const settle = commissions.settle.bind(commissions);
  commissions.settle = async (bookingId) => {
    if (bookingId === failing) throw new Error('The settlement of commissions failed');
    settled.push(bookingId);
    await settle(bookingId);
  };
});

/** Whether the settlement runs during this action. */
async function settlesDuring(bookingId: string, act: () => Promise<unknown>): Promise<boolean> {
  settled = [];
  await act();
  return settled.includes(bookingId);
}

describe('the settlement of commissions', () => {
  it('runs when a plan is created, edited or paid, and when the price of its booking changes', async () => {
    const bookingId = await book(owner, { paymentPolicy: THIRDS });
    expect(await settlesDuring(bookingId, () => owner.post(planPath(bookingId)))).toBe(true);
    const [first, second] = await schedulesOf(owner, bookingId);
    if (!first || !second) throw new Error('The plan is empty');
    expect(await settlesDuring(bookingId, () => change(owner, first, { amountCents: 31_000 }))).toBe(true);
    expect(await settlesDuring(bookingId, () => pay(app, first.id, 1_000))).toBe(true);
    expect(await settlesDuring(bookingId, () => change(owner, first, { status: 'paid' }))).toBe(true);
    expect(await settlesDuring(bookingId, () => addItem(owner, bookingId, 500))).toBe(true);
    expect(await settlesDuring(bookingId, () => change(owner, second, { status: 'cancelled' }))).toBe(true);
  });

  it('the settlement of commissions does not run for previews and for updates that change nothing', async () => {
    const [bookingId, first] = await planned(owner);
    const look = () => owner.post(planPath(bookingId), { materialize: false });
    expect(await settlesDuring(bookingId, look)).toBe(false);
    expect(await settlesDuring(bookingId, () => owner.post(planPath(bookingId)))).toBe(false);
    expect(await settlesDuring(bookingId, () => change(owner, first, { status: 'pending' }))).toBe(false);
  });

  it('runs in the transaction of the change: an error rolls the change back', async () => {
    const [bookingId, first] = await planned(owner);
    failing = bookingId;
    const { status, body } = await change(owner, first, { amountCents: 31_000 });
    failing = null;
    expect(status).toBe(500);
    expect(body).toEqual({ error: expect.any(String), requestId: expect.any(String) });
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '30000 pending', '40000 pending']);
  });
});

describe('the payment plan of a booking', () => {
  it('the payment plan of a booking is created once if the booking is confirmed while collection plans are requested', async () => {
    for (let round = 0; round < 3; round += 1) {
      const bookingId = await book(owner, { paymentPolicy: THIRDS });
      await Promise.all([confirm(owner, bookingId), ...[1, 2, 3, 4].map(() => owner.post(planPath(bookingId)))]);
      expect(await outline(owner, bookingId)).toEqual(['30000 pending', '30000 pending', '40000 pending']);
    }
  });
});
